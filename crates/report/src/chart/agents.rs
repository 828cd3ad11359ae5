//! Charts of bandits and agents.

use ermine_agent::bandit::Comparison;
use ermine_agent::tabular::LearningCurve;

use super::{Chart, Scale, Series};

impl Chart {
    /// Mean regret of the policies of a comparison, with the band between the 10 % and 90 % quantiles of the runs.
    pub fn regret(comparison: &Comparison) -> Self {
        let mut chart = Self::new("Regret: mean and 80 % of the runs", "round", "pseudo-regret");
        for p in &comparison.policies {
            let s = &p.simulation;
            let points = s.rounds.iter().zip(&s.mean).map(|(&t, &v)| (t as f64, v)).collect();
            let band = s.low.iter().copied().zip(s.high.iter().copied()).collect();
            chart = chart.with(Series::line(&p.name, points).with_band(band));
        }
        chart
    }

    /// Mean regrets, their proven bounds and the lower bound of Lai and Robbins, on logarithmic axes.
    pub fn regret_and_bounds(comparison: &Comparison) -> Self {
        let mut chart = Self::new("Regret (lines) and proven bounds (dashes)", "round", "pseudo-regret");
        (chart.x.scale, chart.y.scale) = (Scale::Log, Scale::Log);
        let along = |values: &mut dyn Iterator<Item = f64>| -> Vec<(f64, f64)> {
            comparison.rounds.iter().map(|&t| t as f64).zip(values).collect()
        };
        for p in &comparison.policies {
            chart = chart.with(Series::line(&p.name, along(&mut p.simulation.mean.iter().copied())));
        }
        for p in &comparison.policies {
            if let Some(bound) = &p.bound {
                chart = chart.with(Series::dashed(format!("bound of {}", p.name), along(&mut bound.iter().copied())));
            }
        }
        if let Some(c) = comparison.lai_robbins {
            let line = along(&mut comparison.rounds.iter().map(|&t| c * (t as f64).ln()));
            chart = chart.with(Series::dashed("Lai and Robbins", line));
        }
        chart
    }

    /// A learning curve with the band between the 10 % and 90 % quantiles of the seeds; a dashed line where a task
    /// counts as solved.
    pub fn learning(title: &str, curves: &[(String, LearningCurve)], solved: Option<f64>) -> Self {
        let along = curves.first().map_or("step", |c| c.1.along.as_str());
        let mut chart = Self::new(title, along, "return of an episode");
        for (name, curve) in curves {
            let points = curve.at.iter().copied().zip(curve.mean.iter().copied()).collect();
            let band = curve.low.iter().copied().zip(curve.high.iter().copied()).collect();
            chart = chart.with(Series::line(name, points).with_band(band));
        }
        let ends = |f: fn(f64, f64) -> f64, start: f64| curves.iter().flat_map(|c| &c.1.at).copied().fold(start, f);
        if let Some(level) = solved {
            let (from, to) = (ends(f64::min, f64::INFINITY), ends(f64::max, f64::NEG_INFINITY));
            chart = chart.with(Series::dashed("solved", vec![(from, level), (to, level)]));
        }
        chart
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ermine_agent::bandit::{PolicySetting, RewardDelay, RewardModel, compare, named};
    use ermine_core::Context;

    #[test]
    fn regrets_bounds_and_curves_are_drawn() {
        let arms = RewardModel::Bernoulli { means: vec![0.6, 0.4] };
        let setting = PolicySetting { arms: 2, rounds: Some(200), dimension: 0, range: arms.range() };
        let policy = |name: &str| (name.to_owned(), named(name, &Default::default(), &setting).unwrap());
        let section =
            compare(&arms, &[policy("ucb1"), policy("kl-ucb")], &[10, 100, 200], 5, RewardDelay::None, &Context::seeded(0));
        let section = section.unwrap();
        let (regret, bounds) = (Chart::regret(&section), Chart::regret_and_bounds(&section));
        assert_eq!(regret.series.len(), 2);
        assert!(regret.series.iter().all(|s| s.band.len() == s.points.len()));
        let names: Vec<&str> = bounds.series.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["ucb1", "kl-ucb", "bound of ucb1", "Lai and Robbins"]);
        let curve = LearningCurve::by_steps(&[(&[1.0, 2.0], &[5, 5])], 2);
        let chart = Chart::learning("cartpole", &[("dqn".into(), curve)], Some(475.0));
        assert_eq!(chart.series[1].points, [(5.0, 475.0), (10.0, 475.0)]);
    }
}
