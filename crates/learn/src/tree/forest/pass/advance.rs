//! Taking what a pass has gathered into a tree.

use ermine_core::{Context, Result};
use rayon::prelude::*;

use super::super::super::grow::{Grown, child_path};
use super::super::bins::Binned;
use super::super::find::{Cut, Desk, Found, Limits};
use super::super::grow::{Origin, Plan, gains_enough, grow, is_open, test, threshold_stream};
use super::super::kind::{Entry, Kind, Look, Sort, Work};
use super::errand::{Errand, Sheets, Slot};
use super::frame::Frame;
use super::sprout::{Best, Bud, Soil, Sprout, Want, Way};

/// A tree and what there is for it.
pub(super) struct Advance<'a> {
    pub frame: &'a Frame,
    pub sprout: &'a mut Sprout,
    /// Which of the trees that grow it is.
    pub at: usize,
    pub errand: &'a Errand,
    pub sheets: &'a Sheets,
    /// The rows that were taken, and those of each slot.
    pub binned: Option<&'a Binned>,
    pub by_slot: &'a [Vec<u32>],
    pub seed: u64,
    pub cx: &'a Context<'a>,
}

impl Work for Advance<'_> {
    type Output = Result<()>;

    fn run<K: Kind>(self, kind: &K) -> Result<()> {
        let Some(soil) = self.sprout.soil.clone() else { return Ok(()) };
        let buds = std::mem::take(&mut self.sprout.buds);
        let mut slots = self.errand.of_tree(self.at).peekable();
        let mut given: Vec<(Bud, Option<(usize, &Slot)>)> = Vec::with_capacity(buds.len());
        for bud in buds {
            let slot = slots.next_if(|(_, s)| s.node == bud.node);
            given.push((bud, slot));
        }
        let seed = self.sprout.seed(self.seed);
        let tree = self.sprout.tree as u64;
        let parts: Vec<Option<Result<Vec<Grown>>>> = given
            .par_iter()
            .map(|(bud, slot)| {
                let (number, _) = slot.filter(|(_, s)| s.take)?;
                let Frame { categories, settings, .. } = self.frame;
                let plan = Plan { kind, binned: self.binned?, categories, settings, tree, seed, cx: self.cx };
                Some(self.grow(&plan, &soil, bud, &self.by_slot[number]))
            })
            .collect();
        let mut tending =
            Tending { kind, frame: self.frame, sprout: self.sprout, limits: soil.limits(self.frame), soil: &soil, seed };
        let mut desk = Desk::new();
        for ((bud, slot), part) in given.into_iter().zip(parts) {
            match (part, slot) {
                (Some(part), _) => tending.sprout.graft(bud.node, part?),
                (None, None) => tending.sprout.buds.push(bud),
                (None, Some((_, slot))) => tending.take(bud, slot, self.sheets, &mut desk),
            }
        }
        Ok(())
    }
}

impl Advance<'_> {
    /// Grows what is below a node whose rows were taken.
    fn grow<K: Kind>(&self, plan: &Plan<'_, K>, soil: &Soil, bud: &Bud, rows: &[u32]) -> Result<Vec<Grown>> {
        let taken = &self.sheets.taken;
        let entry = |&row: &u32| {
            let i = row as usize;
            let weight = taken.weight[i];
            let sum = match &soil.sort {
                Sort::Mean { grid, .. } => grid.sum(taken.y[i], weight),
                Sort::Classes { .. } => 0,
            };
            Entry { row, load: plan.kind.load(taken.class[i], weight, sum) }
        };
        let all = plan.kind.sum_of_steps(&bud.all);
        let from = Origin { depth: bud.depth, path: bud.path, all, weight: soil.weight };
        grow(plan, rows.iter().map(entry).collect(), from)
    }
}

/// A tree in hand.
pub(super) struct Tending<'a, K> {
    pub kind: &'a K,
    pub frame: &'a Frame,
    pub sprout: &'a mut Sprout,
    pub limits: Limits,
    pub soil: &'a Soil,
    pub seed: u64,
}

/// Begins a tree whose sum is known.
pub(super) struct Begin<'a> {
    pub frame: &'a Frame,
    pub sprout: &'a mut Sprout,
    pub sum: Vec<i64>,
    pub seed: u64,
}

impl Work for Begin<'_> {
    type Output = ();

    fn run<K: Kind>(self, kind: &K) {
        let Some(soil) = self.sprout.soil.clone() else { return };
        let seed = self.sprout.seed(self.seed);
        let limits = soil.limits(self.frame);
        let mut tending = Tending { kind, frame: self.frame, sprout: self.sprout, limits, soil: &soil, seed };
        tending.add(0, 0, 1, self.sum);
    }
}

impl<K: Kind> Tending<'_, K> {
    /// A node that is new. Of classes the sum tells everything; numbers must be looked at in the next pass.
    fn add(&mut self, node: usize, depth: usize, path: u64, all: Vec<i64>) {
        let want = if self.frame.settings.max_leaves.is_none() || node == 0 { Want::Split } else { Want::Nothing };
        let mut bud = Bud { node, depth, path, all, looked: false, want, drawn: 0, varies: false, best: None };
        match &self.soil.sort {
            Sort::Mean { .. } => {
                self.set_middle(&bud);
                self.sprout.buds.push(bud);
            }
            Sort::Classes { .. } if self.enter(&mut bud, &Look::default()) => self.sprout.buds.push(bud),
            Sort::Classes { .. } => {}
        }
    }

    fn set_middle(&mut self, bud: &Bud) {
        if let (Sort::Mean { grid, .. }, [_, weight, sum]) = (&self.soil.sort, &bud.all[..]) {
            self.sprout.middles[bud.node] = grid.middle(*weight as f64, *sum);
        }
    }

    /// Sets value and impurity of a node; whether it is open.
    fn enter(&mut self, bud: &mut Bud, look: &Look) -> bool {
        let all = self.kind.sum_of_steps(&bud.all);
        let about = self.kind.summary(&all, look);
        let (rows, weight) = (bud.all[0] as usize, self.kind.weight(&all));
        let open = is_open(&self.frame.settings, &self.limits, about.pure, bud.depth, rows, weight);
        self.sprout.nodes[bud.node] = Grown { test: None, value: about.value, impurity: about.impurity, rows, weight };
        bud.looked = true;
        open
    }

    /// Takes in what was gathered of a node.
    fn take(&mut self, mut bud: Bud, slot: &Slot, sheets: &Sheets, desk: &mut Desk<K>) {
        let width = self.soil.sort.width();
        if let Some(offset) = slot.total {
            bud.all = sheets.sums[offset..offset + width].to_vec();
            self.set_middle(&bud);
            self.sprout.buds.push(bud);
            return;
        }
        if let Some(look) = slot.look
            && !self.enter(&mut bud, &sheets.looks[look])
        {
            return;
        }
        for &(feature, offset) in &slot.columns {
            if bud.is_done(self.frame) {
                break;
            }
            let cells = (self.frame.bins[feature as usize].bins() + 1) * width;
            desk.load(self.kind, &sheets.sums[offset..offset + cells], width);
            self.search(&mut bud, feature, desk);
        }
        if bud.is_done(self.frame) {
            self.split(&bud);
        } else {
            self.sprout.buds.push(bud);
        }
    }

    /// Looks at a column whose sums are on the desk.
    fn search(&mut self, bud: &mut Bud, feature: u32, desk: &mut Desk<K>) {
        let column = &self.frame.columns[feature as usize];
        let all = self.kind.sum_of_steps(&bud.all);
        let seen = if column.codes.is_some() { desk.bins() } else { Vec::new() };
        let found = if self.frame.settings.random {
            let mut stream = threshold_stream(self.seed, bud.path, bud.drawn);
            desk.draw(self.kind, column, feature, &all, &self.limits, &mut stream)
        } else {
            desk.best(self.kind, column, feature, &all, &self.limits)
        };
        bud.drawn += 1;
        bud.varies |= found.is_some();
        if let Some(Some(Found { gain, feature, cut, missing_left, missing, left })) = found
            && bud.best.as_ref().is_none_or(|b| gain > b.gain)
        {
            let mut steps = Vec::new();
            self.kind.to_steps(&left, &mut steps);
            bud.best = Some(Best { gain, feature, cut, missing_left, missing, left: steps, seen });
        }
    }

    /// Splits a node all of whose columns were looked at, if that gains enough.
    fn split(&mut self, bud: &Bud) {
        let Some(best) = &bud.best else { return };
        let Best { gain, feature, missing_left, missing, .. } = *best;
        let left = self.kind.sum_of_steps(&best.left);
        let found = Found { gain, feature, cut: best.cut.clone(), missing_left, missing, left };
        let all = self.kind.sum_of_steps(&bud.all);
        let decrease = self.kind.decrease(&left, &all) / self.soil.weight;
        if !gains_enough(&self.frame.settings, decrease, self.sprout.nodes[bud.node].impurity) {
            return;
        }
        let column = &self.frame.columns[feature as usize];
        let mut unseen = Vec::new();
        let (mut last, mut set) = (0, None);
        match &best.cut {
            Cut::Upto(bin, _) => last = *bin,
            Cut::Bins(bins) => {
                let mut goes = vec![false; self.frame.bins[feature as usize].bins()];
                bins.iter().for_each(|&b| goes[b as usize] = true);
                set = Some(goes);
                if let (Some(codes), Some(count)) = (&column.codes, self.frame.categories[feature as usize]) {
                    let mut seen = vec![false; count];
                    best.seen.iter().for_each(|&b| seen[codes[b as usize] as usize] = true);
                    unseen = (0..count as u32).filter(|&c| !seen[c as usize]).collect();
                }
            }
        }
        let mut test = test(self.kind, column, &all, &found, &unseen);
        let at = self.sprout.nodes.len();
        self.sprout.make_room(2);
        (test.left, test.right) = (at, at + 1);
        self.sprout.nodes[bud.node].test = Some(test);
        self.sprout.decreases[bud.node] = decrease;
        let missing_left = missing && missing_left;
        self.sprout.ways[bud.node] = Way { left: at as u32, feature, last, set, missing_left };
        let right: Vec<i64> = bud.all.iter().zip(&best.left).map(|(a, l)| a - l).collect();
        self.add(at, bud.depth + 1, child_path(bud.path, 1), best.left.clone());
        self.add(at + 1, bud.depth + 1, child_path(bud.path, 2), right);
    }
}
