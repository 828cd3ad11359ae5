//! The search: blocks of queries against groups of rows.

use ermine_core::parallel::prelude::*;
use ermine_core::{Error, Features, Result};

use super::best::{Candidates, Neighbor, TopK};
use super::exact::{self, Metric};
use super::pack::{PackedRows, QueryNorms};
use super::tile::{self, GROUP, QUERIES, TileScores};
use super::tree::BoxTree;
use super::{IndexedPoints, NeighborIndex, as_sparse, sparse};

/// Query types.
#[derive(Debug, Clone, Copy)]
pub(super) enum NeighborQuery {
    Nearest(usize),
    Within(f64),
}

/// Queries per block: with 128 columns their cells fill a quarter of a second-level cache.
const BLOCK: usize = 512;

/// Most bytes of the candidates of a block.
const CANDIDATE_BYTES: usize = 64 << 20;

/// One query: its cells times the scale (unit length for cosine distances), and its index.
struct PreparedQuery<'a> {
    cells: &'a [f64],
    scale: f64,
    sizes: QueryNorms,
}

/// Results so far: the k nearest, or all within a radius.
enum NeighborHeap {
    Best(TopK),
    All(Vec<Neighbor>, f64),
}

impl NeighborHeap {
    fn new(ask: NeighborQuery) -> Self {
        match ask {
            NeighborQuery::Nearest(k) => Self::Best(TopK::new(k)),
            NeighborQuery::Within(radius) => Self::All(Vec::new(), radius),
        }
    }

    /// A key above which no row is wanted: that of the greatest distance, and slightly more, since distances are
    /// compared in the end.
    fn limit(&self, metric: Metric, scale: f64) -> f64 {
        let distance = match self {
            Self::Best(best) => best.limit(),
            Self::All(_, radius) => *radius,
        };
        metric.distance_key(distance, scale) * (1.0 + 1e-12)
    }

    #[inline]
    fn push(&mut self, distance: f64, row: u32) {
        match self {
            Self::Best(best) => best.push(Neighbor { distance, row }),
            Self::All(list, radius) if distance <= *radius => list.push(Neighbor { distance, row }),
            Self::All(..) => {}
        }
    }

    fn into_sorted(self) -> Vec<Neighbor> {
        match self {
            Self::Best(best) => best.into_sorted(),
            Self::All(mut list, _) => {
                list.sort_unstable();
                list
            }
        }
    }
}

impl NeighborIndex {
    /// Runs a query type for each query.
    pub(super) fn search(&self, queries: &Features<'_>, ask: NeighborQuery) -> Result<Vec<Vec<Neighbor>>> {
        queries.expect_cols(self.points.cols())?;
        let n = queries.rows();
        let mut block =
            n.div_ceil(4 * ermine_core::parallel::current_num_threads()).next_multiple_of(QUERIES).clamp(QUERIES, BLOCK);
        if let NeighborQuery::Nearest(k) = ask {
            block = block.min((CANDIDATE_BYTES / (96 * k)).next_multiple_of(QUERIES)).max(QUERIES);
        }
        let parts: Vec<Result<Vec<Vec<Neighbor>>>> = (0..n.div_ceil(block))
            .into_par_iter()
            .map(|b| {
                let first = b * block;
                let part = queries.row_range(first..n.min(first + block));
                self.search_block(&part, ask).map_err(|e| e.with_row(|row| row + first))
            })
            .collect();
        let mut all = Vec::with_capacity(n);
        for part in parts {
            all.extend(part?);
        }
        Ok(all)
    }

    fn search_block(&self, queries: &Features<'_>, ask: NeighborQuery) -> Result<Vec<Vec<Neighbor>>> {
        let (count, cols) = (queries.rows(), queries.cols());
        if let IndexedPoints::Csr(points) = &self.points {
            let queries = as_sparse(queries)?;
            return (0..count)
                .map(|i| {
                    let neighbors = self.scan_sparse(points.view(), queries.view().row(i), ask, i)?;
                    check_finite(neighbors, i)
                })
                .collect();
        }
        let mut scratch = Vec::new();
        let rows = queries.f64_rows(&mut scratch, "a search for neighbors")?;
        let mut cells = vec![0.0; count * cols];
        let mut cells_f32 = vec![0f32; count * cols];
        let mut scales = vec![self.scale; count];
        let mut sizes = vec![None; count];
        for i in 0..count {
            let cells = &mut cells[i * cols..(i + 1) * cols];
            rows.copy_row(i, cells);
            let most = cells.iter().fold(0u64, |m, v| m.max(v.to_bits() & (u64::MAX >> 1)));
            if !f64::from_bits(most).is_finite() {
                queries.refuse_non_finite(None)?;
            }
            // A query far beyond all rows has a smaller scale of its own.
            scales[i] = scales[i].min(exact::scale_of(f64::from_bits(most)));
            let factor = match self.metric {
                Metric::Cosine => self.scale.min(scales[i]) * exact::inverse_norm(cells, self.scale.min(scales[i])),
                _ => scales[i],
            };
            cells.iter_mut().for_each(|v| *v *= factor);
            let is_plain = scales[i] == self.scale && !(self.metric == Metric::Cosine && factor == 0.0);
            if let (Some(packed), true) = (&self.packed, is_plain) {
                sizes[i] = packed.query(cells, &mut cells_f32[i * cols..(i + 1) * cols]);
            }
        }
        let query = |i: usize| PreparedQuery {
            cells: &cells[i * cols..(i + 1) * cols],
            scale: scales[i],
            sizes: sizes[i].unwrap_or_default(),
        };
        let cells_f32 = |i: usize| &cells_f32[i * cols..(i + 1) * cols];
        // Where nearly all rows are wanted, filtering gains nothing.
        let wants_all = matches!(ask, NeighborQuery::Nearest(k) if 4 * k >= self.points.rows());
        let quick = |i: usize| sizes[i].is_some() && !wants_all;
        let mut results: Vec<Option<Vec<Neighbor>>> = (0..count).map(|_| None).collect();
        match (&self.packed, &self.tree) {
            (Some(packed), Some(tree)) => {
                for i in (0..count).filter(|&i| quick(i)) {
                    results[i] = Some(self.descend(packed, tree, &query(i), cells_f32(i), ask));
                }
            }
            (Some(packed), None) if !matches!(self.metric, Metric::Minkowski(_)) => {
                let chosen: Vec<usize> = (0..count).filter(|&i| quick(i)).collect();
                let asked: Vec<(PreparedQuery<'_>, &[f32])> = chosen.iter().map(|&i| (query(i), cells_f32(i))).collect();
                for (&i, found) in chosen.iter().zip(self.sweep(packed, &asked, ask)) {
                    results[i] = Some(found);
                }
            }
            _ => {}
        }
        (results.into_iter().enumerate())
            .map(|(i, found)| check_finite(found.unwrap_or_else(|| self.scan(&query(i), ask)), i))
            .collect()
    }

    /// The key of a query and a row.
    #[inline]
    fn key(&self, query: &PreparedQuery<'_>, row: u32, above: f64) -> f64 {
        let (i, metric) = (row as usize, self.metric);
        if metric == Metric::Cosine {
            let inverse = self.inverse_norms.as_ref().map_or(0.0, |inverse| inverse[i]);
            let factor = self.scale * inverse;
            if factor == 0.0 || query.cells.iter().all(|v| *v == 0.0) {
                return 1.0;
            }
            // Half the squared distance of unit rows is 1 - cos, without the digits that a difference loses.
            return 0.5
                * match &self.points {
                    IndexedPoints::F64(m) => exact::distance_key(metric, query.cells, m.row(i), factor, above),
                    IndexedPoints::F32(m) => exact::distance_key(metric, query.cells, m.row(i), factor, above),
                    IndexedPoints::Csr(_) => f64::NAN,
                };
        }
        match &self.points {
            IndexedPoints::F64(m) => exact::distance_key(metric, query.cells, m.row(i), query.scale, above),
            IndexedPoints::F32(m) => exact::distance_key(metric, query.cells, m.row(i), query.scale, above),
            IndexedPoints::Csr(_) => f64::NAN,
        }
    }

    /// One query against every row in f64.
    fn scan(&self, query: &PreparedQuery<'_>, ask: NeighborQuery) -> Vec<Neighbor> {
        let mut taken = NeighborHeap::new(ask);
        for row in 0..self.points.rows() as u32 {
            let key = self.key(query, row, taken.limit(self.metric, query.scale));
            taken.push(self.metric.distance(key, query.scale), row);
        }
        taken.into_sorted()
    }

    fn candidates(&self, packed: &PackedRows, query: &PreparedQuery<'_>, ask: NeighborQuery) -> Candidates {
        match ask {
            NeighborQuery::Nearest(k) => Candidates::nearest(k),
            NeighborQuery::Within(radius) => {
                let key = self.metric.distance_key(radius, query.scale) * (1.0 + 1e-12);
                Candidates::within(packed.score_of(self.metric, key, &query.sizes))
            }
        }
    }

    /// Measures the pending candidates.
    fn measure_candidates(
        &self,
        packed: &PackedRows,
        query: &PreparedQuery<'_>,
        candidates: &mut Candidates,
        taken: &mut NeighborHeap,
    ) {
        for place in candidates.drain() {
            let row = self.row_at(place as usize);
            let key = self.key(query, row, f64::INFINITY);
            taken.push(self.metric.distance(key, query.scale), row);
        }
        let limit = taken.limit(self.metric, query.scale);
        if limit.is_finite() {
            candidates.bound = candidates.bound.min(packed.score_of(self.metric, limit, &query.sizes));
        }
    }

    /// Brute force: a block of queries against all groups.
    fn sweep(&self, packed: &PackedRows, queries: &[(PreparedQuery<'_>, &[f32])], ask: NeighborQuery) -> Vec<Vec<Neighbor>> {
        let (count, cols) = (queries.len(), packed.cols);
        let tiles = count.div_ceil(QUERIES);
        // The cells of eight queries side by side.
        let mut cells = vec![0f32; tiles * QUERIES * cols];
        let mut norms = vec![[0f32; QUERIES]; tiles];
        let mut bounds = vec![[f32::MIN; QUERIES]; tiles];
        let mut states: Vec<(Candidates, NeighborHeap)> = Vec::with_capacity(count);
        for (i, (query, cells_f32)) in queries.iter().enumerate() {
            let (t, r) = (i / QUERIES, i % QUERIES);
            let tile = &mut cells[t * QUERIES * cols..(t + 1) * QUERIES * cols];
            cells_f32.iter().enumerate().for_each(|(j, &v)| tile[j * QUERIES + r] = v);
            let candidates = self.candidates(packed, query, ask);
            norms[t][r] = up(query.sizes.norm);
            bounds[t][r] = up(candidates.bound);
            states.push((candidates, NeighborHeap::new(ask)));
        }
        let mut scores = Box::new(TileScores([[0.0; GROUP]; QUERIES]));
        for g in 0..packed.groups() {
            let (rows, bias) = packed.group(g);
            let error = packed.error(packed.norms[g]);
            let single = error.map(|c| c as f32 * 1.00001);
            for t in 0..tiles {
                let limits: [f32; QUERIES] = std::array::from_fn(|r| {
                    let (bound, x) = (bounds[t][r], norms[t][r]);
                    let limit = bound + (single[0] + x * (single[1] + x * single[2]));
                    // Finite, so that empty places, whose score is infinite, stay above it.
                    (limit + limit.abs() * 2.5e-7).min(f32::MAX)
                });
                let tile = &cells[t * QUERIES * cols..(t + 1) * QUERIES * cols];
                let mut hit = tile::tile(packed.score, tile, rows, bias, &limits, &mut scores);
                while hit != 0 {
                    let r = hit.trailing_zeros() as usize;
                    hit &= hit - 1;
                    let i = t * QUERIES + r;
                    let (query, (candidates, taken)) = (&queries[i].0, &mut states[i]);
                    let x = query.sizes.norm;
                    let error = error[0] + x * (error[1] + x * error[2]);
                    for (l, &s) in scores.0[r].iter().enumerate() {
                        if s <= limits[r] {
                            candidates.push_candidate(f64::from(s), error, (g * GROUP + l) as u32);
                        }
                    }
                    if candidates.is_full() {
                        self.measure_candidates(packed, query, candidates, taken);
                    }
                    bounds[t][r] = up(candidates.bound);
                }
            }
        }
        (queries.iter().zip(states))
            .map(|((query, _), (mut candidates, mut taken))| {
                self.measure_candidates(packed, query, &mut candidates, &mut taken);
                taken.into_sorted()
            })
            .collect()
    }

    /// The tree: nodes nearest first, as long as they can contain a wanted row.
    fn descend(
        &self,
        packed: &PackedRows,
        tree: &BoxTree,
        query: &PreparedQuery<'_>,
        cells_f32: &[f32],
        ask: NeighborQuery,
    ) -> Vec<Neighbor> {
        let (mut candidates, mut taken) = (self.candidates(packed, query, ask), NeighborHeap::new(ask));
        let minkowski = if let Metric::Minkowski(p) = self.metric { Some(p) } else { None };
        let x = query.sizes.norm;
        let error = |rows: f32| {
            let [constant, slope, square] = packed.error(rows);
            constant + x * (slope + x * square)
        };
        let least = |node| match minkowski {
            None => tree.lower_bound(packed.score, node, cells_f32, query.sizes.rounded_squares),
            Some(p) => {
                // A gap in f32 may exceed the true one by the rounding of either end.
                let moved = error(tree.norm(node));
                tree.box_gaps(node, cells_f32).map(|g| (g - moved).max(0.0).powf(p)).sum::<f64>() * (1.0 - 1e-12)
            }
        };
        let mut scores = [0f32; GROUP];
        let mut stack = vec![(f64::NEG_INFINITY, tree.root())];
        while let Some((low, node)) = stack.pop() {
            let margin = error(tree.norm(node));
            let out_of_reach = match minkowski {
                None => low - margin > candidates.bound,
                Some(_) => low > taken.limit(self.metric, query.scale),
            };
            if out_of_reach {
                continue;
            }
            if !node.is_leaf() {
                let [left, right] = node.children();
                let (a, b) = (least(left), least(right));
                // The nearer one is visited first.
                stack.extend(if a <= b { [(b, right), (a, left)] } else { [(a, left), (b, right)] });
                continue;
            }
            let first = node.first * GROUP;
            if minkowski.is_some() {
                for place in first..self.points.rows().min(first + GROUP) {
                    let row = self.row_at(place);
                    let key = self.key(query, row, taken.limit(self.metric, query.scale));
                    taken.push(self.metric.distance(key, query.scale), row);
                }
                continue;
            }
            let (rows, bias) = packed.group(node.first);
            tile::one(packed.score, cells_f32, rows, bias, &mut scores);
            let limit = up(candidates.bound + margin);
            for (l, &s) in scores.iter().enumerate() {
                if s <= limit && first + l < self.points.rows() {
                    candidates.push_candidate(f64::from(s), margin, (first + l) as u32);
                }
            }
            if candidates.is_full() {
                self.measure_candidates(packed, query, &mut candidates, &mut taken);
            }
        }
        self.measure_candidates(packed, query, &mut candidates, &mut taken);
        taken.into_sorted()
    }

    fn scan_sparse(
        &self,
        points: ermine_core::CsrRef<'_>,
        query: (&[u32], &[f64]),
        ask: NeighborQuery,
        row: usize,
    ) -> Result<Vec<Neighbor>> {
        let most = query.1.iter().fold(0.0, |m, v: &f64| f64::max(m, v.abs()));
        if let Some(k) = query.1.iter().position(|v| !v.is_finite()) {
            let value = if query.1[k].is_nan() { "NaN" } else { "infinity" }.to_owned();
            return Err(Error::NotFinite { column: query.0[k].to_string(), row, value });
        }
        let scale = self.scale.min(exact::scale_of(most));
        let mut taken = NeighborHeap::new(ask);
        for i in 0..points.rows() {
            let key = sparse::key(self.metric, query, points.row(i), scale);
            taken.push(self.metric.distance(key, scale), i as u32);
        }
        Ok(taken.into_sorted())
    }
}

/// An error for a distance that overflowed.
fn check_finite(found: Vec<Neighbor>, query: usize) -> Result<Vec<Neighbor>> {
    match found.iter().find(|f| !f.distance.is_finite()) {
        None => Ok(found),
        Some(f) => {
            let message =
                format!("its distance from row {} is greater than the greatest number there is; scale the columns", f.row);
            Err(Error::Row { place: "query".into(), row: query, message })
        }
    }
}

/// The least f32 that is not below `v`; the greatest finite one for all beyond.
fn up(v: f64) -> f32 {
    let single = v as f32;
    let single = if f64::from(single) < v { single.next_up() } else { single };
    single.min(f32::MAX)
}
