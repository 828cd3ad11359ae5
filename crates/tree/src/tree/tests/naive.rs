//! Every split of small trees against all splits there are, by definition.

use ermine_core::{MISSING_CODE, Target};
use proptest::prelude::*;

use super::*;

/// A small problem: number columns with NaN, category columns, classes or numbers.
#[derive(Debug, Clone)]
struct NaiveCase {
    numbers: Vec<Vec<f64>>,
    categories: Vec<Vec<u32>>,
    y: Vec<f64>,
    weight: Option<Vec<f64>>,
    criterion: &'static str,
    min_leaf: usize,
}

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

impl NaiveCase {
    fn table(&self) -> Table {
        let number = |(j, c): (usize, &Vec<f64>)| (format!("n{j}"), Column::numbers(c.clone()));
        let category = |(j, c): (usize, &Vec<u32>)| {
            let cells: Vec<Option<&str>> = c.iter().map(|&k| NAMES.get(k as usize).copied()).collect();
            (format!("c{j}"), Column::categories(&cells))
        };
        let columns = self.numbers.iter().enumerate().map(number).chain(self.categories.iter().enumerate().map(category));
        Table::new(columns).unwrap()
    }

    fn classes(&self) -> usize {
        match self.criterion {
            "gini" | "entropy" => self.y.iter().fold(0.0f64, |m, v| m.max(*v)) as usize + 1,
            _ => 0,
        }
    }

    fn target(&self) -> OwnedTarget {
        match self.classes() {
            0 => OwnedTarget::Real(self.y.clone()),
            k => OwnedTarget::Class {
                codes: self.y.iter().map(|&v| v as u32).collect(),
                names: (0..k).map(|c| c.to_string()).collect(),
            },
        }
    }

    fn weight(&self, i: usize) -> f64 {
        self.weight.as_ref().map_or(1.0, |w| w[i])
    }

    /// Impurity by its definition.
    fn impurity(&self, rows: &[usize]) -> f64 {
        let total: f64 = rows.iter().map(|&i| self.weight(i)).sum();
        let mean_of = |f: &dyn Fn(f64) -> f64| rows.iter().map(|&i| self.weight(i) * f(self.y[i])).sum::<f64>() / total;
        let shares = || (0..self.classes()).map(|c| mean_of(&|y| f64::from(y == c as f64)));
        match self.criterion {
            "gini" => 1.0 - shares().map(|p| p * p).sum::<f64>(),
            "entropy" => shares().map(|p| if p > 0.0 { -p * p.log2() } else { 0.0 }).sum(),
            "squared_error" => {
                let m = mean_of(&|y| y);
                mean_of(&|y| (y - m) * (y - m))
            }
            "poisson" => {
                let m = mean_of(&|y| y);
                mean_of(&|y| if y > 0.0 { y * (y / m).ln() } else { 0.0 })
            }
            "absolute_error" => {
                // The best constant is one of the values.
                let cost = |m: f64| mean_of(&|y| (y - m).abs());
                rows.iter().map(|&i| cost(self.y[i])).fold(f64::INFINITY, f64::min)
            }
            other => panic!("{other}"),
        }
    }

    fn decrease(&self, rows: &[usize], left: &[usize], right: &[usize]) -> f64 {
        let weight = |rows: &[usize]| rows.iter().map(|&i| self.weight(i)).sum::<f64>();
        let all = weight(rows);
        self.impurity(rows) - weight(left) / all * self.impurity(left) - weight(right) / all * self.impurity(right)
    }

    /// The largest decrease over all allowed splits, if there is one.
    fn best(&self, rows: &[usize]) -> Option<f64> {
        let mut best: Option<f64> = None;
        let mut consider = |goes: &dyn Fn(usize) -> bool| {
            let (left, right): (Vec<usize>, Vec<usize>) = rows.iter().partition(|&&i| goes(i));
            let mean_is_zero = |side: &[usize]| self.criterion == "poisson" && side.iter().all(|&i| self.y[i] == 0.0);
            if left.len() >= self.min_leaf.max(1)
                && right.len() >= self.min_leaf.max(1)
                && !mean_is_zero(&left)
                && !mean_is_zero(&right)
            {
                let d = self.decrease(rows, &left, &right);
                best = Some(best.map_or(d, |b| b.max(d)));
            }
        };
        for column in &self.numbers {
            for &at in rows {
                for missing_left in [false, true] {
                    consider(&|i| if column[i].is_nan() { missing_left } else { column[i] <= column[at] });
                }
            }
        }
        for column in &self.categories {
            for set in 0u32..16 {
                for missing_left in [false, true] {
                    consider(&|i| if column[i] == MISSING_CODE { missing_left } else { set >> column[i] & 1 == 1 });
                }
            }
        }
        best
    }

    /// Whether a search over orders of categories finds the best set: not for medians and many classes, and not when some
    /// sets are not allowed.
    fn orders_suffice(&self) -> bool {
        let convex = self.criterion == "squared_error" || self.classes() == 2;
        self.categories.is_empty() || convex && self.min_leaf == 1
    }

    fn check(&self) -> Result<(), TestCaseError> {
        let table = self.table();
        let y = self.target();
        if self.criterion == "poisson" && (0..self.y.len()).all(|i| self.y[i] * self.weight(i) == 0.0) {
            return Ok(());
        }
        let tree = tree(serde_json::json!({"criterion": self.criterion, "min_samples_leaf": self.min_leaf, "max_depth": 4}));
        let x = Features::Table(table.view());
        let data = DatasetRef::new(x).with_target(y.view()).with_weight(self.weight.as_deref());
        let model = tree.fit_with(&data, &Context::default()).unwrap();
        let n = model.nodes();
        let (starts, path) = model.decision_path(&x).unwrap();
        let mut rows = vec![Vec::new(); model.node_count()];
        for i in (0..self.y.len()).filter(|&i| self.weight(i) > 0.0) {
            path[starts[i]..starts[i + 1]].iter().for_each(|&node| rows[node as usize].push(i));
        }
        let mut depth = vec![0; model.node_count()];
        for i in 0..model.node_count() {
            prop_assert_eq!(rows[i].len() as i64, n.n_node_samples[i]);
            let impurity = self.impurity(&rows[i]);
            prop_assert!((n.impurity[i] - impurity).abs() < 1e-9, "impurity {} instead of {impurity}", n.impurity[i]);
            let value = n.value.row(i)[0];
            let total: f64 = rows[i].iter().map(|&r| self.weight(r)).sum();
            let mean: f64 = rows[i].iter().map(|&r| self.weight(r) * self.y[r]).sum::<f64>() / total;
            match self.classes() {
                0 if self.criterion != "absolute_error" => prop_assert!((value - mean).abs() < 1e-9, "{value} instead of {mean}"),
                0 => {}
                _ => prop_assert!((n.value.row(i).iter().sum::<f64>() - 1.0).abs() < 1e-12),
            }
            if n.left[i] >= 0 {
                let (l, r) = (n.left[i] as usize, n.right[i] as usize);
                (depth[l], depth[r]) = (depth[i] + 1, depth[i] + 1);
                let gain = self.decrease(&rows[i], &rows[l], &rows[r]);
                let best = self.best(&rows[i]).unwrap();
                prop_assert!(gain <= best + 1e-9);
                if self.orders_suffice() {
                    prop_assert!(gain >= best - 1e-9, "node {i} gains {gain} of {best}");
                }
            } else if impurity > 1e-9 && depth[i] < 4 && self.orders_suffice() {
                prop_assert!(self.best(&rows[i]).is_none(), "node {i} is a leaf and could gain {:?}", self.best(&rows[i]));
            }
        }
        // Rows of weight 0 are not there at all.
        if let Some(w) = &self.weight {
            let kept: Vec<usize> = (0..w.len()).filter(|&i| w[i] > 0.0).collect();
            let part = data.take_rows(&kept);
            let again = tree.fit_with(&part.view(), &Context::default()).unwrap();
            prop_assert!(bytes(&model) == bytes(&again), "weight 0 leaves a trace");
        }
        // Neither does the order of rows leave one.
        let order = RngStream::new(5, "rows", 0).permutation(self.y.len());
        let shuffled = data.take_rows(&order);
        let again = tree.fit_with(&shuffled.view(), &Context::default()).unwrap();
        if self.criterion != "poisson" {
            prop_assert!(bytes(&model) == bytes(&again), "the order of rows leaves a trace");
        }
        if let Target::Class { .. } = y.view() {
            prop_assert!(model.certificate().unwrap().converged);
        }
        Ok(())
    }
}

use ermine_core::Model;

fn problems() -> impl Strategy<Value = NaiveCase> {
    let criteria = prop::sample::select(vec!["gini", "entropy", "squared_error", "absolute_error", "poisson"]);
    (3usize..14, 0usize..3, 0usize..2, 2usize..5, 1usize..3, criteria, 0u32..3).prop_flat_map(
        |(rows, n, c, values, min_leaf, criterion, weighting)| {
            let (n, c) = if n + c == 0 { (1, 0) } else { (n, c) };
            let cell = prop_oneof![4 => (0..values).prop_map(|v| v as f64 - 1.5), 1 => Just(f64::NAN)];
            let code = prop_oneof![5 => 0u32..4, 1 => Just(MISSING_CODE)];
            let target = (0..values).prop_map(|v| v as f64);
            let weight = match weighting {
                0 => Just(1.0).boxed(),
                1 => (0u32..3).prop_map(f64::from).boxed(),
                _ => (1u32..1000).prop_map(|w| f64::from(w) / 300.0).boxed(),
            };
            (
                prop::collection::vec(prop::collection::vec(cell, rows), n),
                prop::collection::vec(prop::collection::vec(code, rows), c),
                prop::collection::vec(target, rows),
                prop::collection::vec(weight, rows),
            )
                .prop_map(move |(numbers, categories, y, weight)| {
                    let weight = (weighting > 0 && weight.iter().any(|w| *w > 0.0)).then_some(weight);
                    NaiveCase { numbers, categories, y, weight, criterion, min_leaf }
                })
        },
    )
}

/// Columns where a value hardly ever repeats, except where the classes separate best.
fn rare_ties() -> impl Strategy<Value = NaiveCase> {
    let criteria = prop::sample::select(vec!["gini", "entropy", "squared_error", "poisson"]);
    (130usize..150, any::<u64>(), 2usize..4, 1usize..3, criteria, 0usize..3).prop_map(
        |(rows, seed, classes, min_leaf, criterion, weighting)| {
            let mut s = RngStream::new(seed, "rare ties", 0);
            let mut y = vec![0.0; rows];
            let mut numbers = Vec::new();
            for j in 0..2 {
                let rank: Vec<i64> = s.permutation(rows).into_iter().map(|r| r as i64).collect();
                let (a, b) = (1 + s.below(rows - 4) as i64, 1 + s.below(rows - 4) as i64);
                if j == 0 {
                    (0..rows).for_each(|i| y[i] = f64::from(rank[i] > a));
                }
                let tied = |r: i64| if r == a + 1 || r == b + 1 { r - 1 } else { r };
                let zero = |r: i64| if r == a { -0.0 } else { 0.0 };
                let kind = s.below(5);
                let value = |r: i64| match kind {
                    // One value, zero with either sign.
                    0 => {
                        if tied(r) == a {
                            zero(r)
                        } else {
                            (tied(r) - a) as f64
                        }
                    }
                    // f64 and f32 below the least normal numbers, and neighbors.
                    1 => f64::from_bits(tied(r) as u64),
                    2 => f64::from(f32::from_bits(tied(r) as u32)),
                    3 => 1.0 + tied(r) as f64 * f64::EPSILON,
                    _ => (tied(r) as f64 - 70.0).powi(3) / 7.0,
                };
                let mut column: Vec<f64> = rank.iter().map(|&r| value(r)).collect();
                if s.below(2) == 0 {
                    column[s.below(rows)] = f64::NAN;
                }
                numbers.push(column);
            }
            for v in &mut y {
                if s.below(10) == 0 {
                    *v = s.below(classes) as f64;
                }
            }
            let weight =
                (weighting > 0).then(|| (0..rows).map(|_| (1 + s.below(4)) as f64 / [1.0, 3.0][weighting - 1]).collect());
            NaiveCase { numbers, categories: Vec::new(), y, weight, criterion, min_leaf }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn every_split_is_the_best_there_is_where_values_hardly_repeat(problem in rare_ties()) {
        problem.check()?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn every_split_is_the_best_there_is(problem in problems()) {
        problem.check()?;
    }
}
