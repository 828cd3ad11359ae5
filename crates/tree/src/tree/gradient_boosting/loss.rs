//! The losses of gradient boosting: starting score, slope, best value of a leaf, link.

use ermine_core::{Error, Result, Target};
use ermine_math::double_double::Dd;
use ermine_math::loss::{log_sum_exp, log1p_exp, sigmoid};

/// A loss of scores F (one per row, or one per class).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum BoostingLoss {
    /// (y - F)².
    Squared,
    /// |y - F|.
    Absolute,
    /// r²/2 where |r| <= delta, else delta (|r| - delta/2); delta is the `alpha` quantile of |r| in each round.
    Huber { alpha: f64 },
    /// alpha r where r >= 0, else (alpha - 1) r.
    Pinball { alpha: f64 },
    /// e^F - y F.
    Poisson,
    /// 2 log(1 + e^(-m)), m = F for the second class and -F for the first.
    Logistic,
    /// e^(-m).
    Exponential,
    /// log sum over k of e^(F_k) - F_y.
    Softmax { classes: usize },
}

/// Names of the losses.
pub(super) const LOSSES: &[&str] =
    &["auto", "squared_error", "absolute_error", "huber", "quantile", "poisson", "log_loss", "exponential"];

/// The targets of the rows that take part.
pub(super) enum BoostingTarget {
    Numbers(Vec<f64>),
    Codes(Vec<u32>),
}

impl BoostingTarget {
    /// The number, or 1 for the second of two classes.
    #[inline]
    pub fn as_number(&self, i: usize) -> f64 {
        match self {
            Self::Numbers(y) => y[i],
            Self::Codes(codes) => f64::from(codes[i]),
        }
    }

    #[inline]
    fn is(&self, i: usize, class: usize) -> f64 {
        match self {
            Self::Numbers(_) => 0.0,
            Self::Codes(codes) => f64::from(u8::from(codes[i] as usize == class)),
        }
    }
}

/// The weighted quantile: the least value that has a share `q` of the weight at or below it, or the middle to the next
/// where the share is met exactly. It minimizes the weighted pinball loss. Sorts `items`, which are values and weights.
pub(super) fn quantile(items: &mut [(f64, f64)], q: f64) -> f64 {
    items.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let total: f64 = items.iter().map(|i| i.1).sum();
    let aim = q * total;
    let slack = 1e-12 * total;
    let mut sum = 0.0;
    for (k, &(v, w)) in items.iter().enumerate() {
        sum += w;
        if sum >= aim - slack {
            let exact = sum <= aim + slack;
            return match items.get(k + 1) {
                Some(next) if exact => 0.5 * v + 0.5 * next.0,
                _ => v,
            };
        }
    }
    items.last().map_or(0.0, |i| i.0)
}

/// A sum of weights times values, in twice the digits: a row of weight 2 then adds what the row adds twice, to the last bit, and
/// tests that are equally good stay so.
fn weighted_sum(terms: impl Iterator<Item = (f64, f64)> + Clone) -> f64 {
    let exact: Dd = terms.clone().map(|(w, v)| Dd::product(w, v)).sum();
    if exact.is_finite() { exact.to_f64() } else { terms.map(|(w, v)| w * v).sum() }
}

impl BoostingLoss {
    /// The loss by its name, given the target.
    pub fn of(name: &str, alpha: f64, target: &Target<'_>) -> std::result::Result<Self, &'static str> {
        match (name, target) {
            ("auto" | "log_loss", Target::Class { names, .. }) if names.len() > 2 => Ok(Self::Softmax { classes: names.len() }),
            ("auto" | "log_loss", Target::Class { .. }) => Ok(Self::Logistic),
            ("exponential", Target::Class { names, .. }) if names.len() > 2 => Err("exponential needs two classes"),
            ("exponential", Target::Class { .. }) => Ok(Self::Exponential),
            (_, Target::Class { .. }) => Err("classes need log_loss or exponential"),
            ("auto" | "squared_error", _) => Ok(Self::Squared),
            ("absolute_error", _) => Ok(Self::Absolute),
            ("huber", _) => Ok(Self::Huber { alpha }),
            ("quantile", _) => Ok(Self::Pinball { alpha }),
            ("poisson", _) => Ok(Self::Poisson),
            _ => Err("numbers need squared_error, absolute_error, huber, quantile or poisson"),
        }
    }

    /// Scores of a row.
    pub fn width(self) -> usize {
        match self {
            Self::Softmax { classes } => classes,
            _ => 1,
        }
    }

    /// Refuses targets outside the range of the loss.
    pub fn check(self, y: &BoostingTarget, row: impl Fn(usize) -> usize) -> Result<()> {
        let (Self::Poisson, BoostingTarget::Numbers(values)) = (self, y) else { return Ok(()) };
        if let Some(i) = values.iter().position(|v| *v < 0.0) {
            let needed = "poisson needs numbers from 0 up".into();
            return Err(Error::OutOfRange { what: "target".into(), row: row(i), value: values[i], needed });
        }
        if values.iter().all(|v| *v == 0.0) {
            return Err(Error::Target("its numbers are all 0, and poisson needs some above".into()));
        }
        Ok(())
    }

    /// The constant scores with the least loss.
    pub fn start(self, y: &BoostingTarget, w: &[f64]) -> Vec<f64> {
        let total = weighted_sum((0..w.len()).map(|i| (w[i], 1.0)));
        let mean = |of: &dyn Fn(usize) -> f64| weighted_sum((0..w.len()).map(|i| (w[i], of(i)))) / total;
        let at = |q: f64| {
            let mut items: Vec<(f64, f64)> = w.iter().enumerate().map(|(i, &w)| (y.as_number(i), w)).collect();
            quantile(&mut items, q)
        };
        // A class without rows has a very low score, not one of minus infinity.
        let inside = |p: f64| p.clamp(f64::EPSILON, 1.0 - f64::EPSILON);
        match self {
            Self::Squared => vec![mean(&|i| y.as_number(i))],
            Self::Absolute | Self::Huber { .. } => vec![at(0.5)],
            Self::Pinball { alpha } => vec![at(alpha)],
            Self::Poisson => vec![mean(&|i| y.as_number(i)).ln()],
            Self::Logistic | Self::Exponential => {
                let p = inside(mean(&|i| y.as_number(i)));
                let odds = (p / (1.0 - p)).ln();
                vec![if self == Self::Logistic { odds } else { 0.5 * odds }]
            }
            Self::Softmax { classes } => {
                let logs: Vec<f64> = (0..classes).map(|k| inside(mean(&|i| y.is(i, k))).ln()).collect();
                let middle = logs.iter().sum::<f64>() / classes as f64;
                logs.into_iter().map(|l| l - middle).collect()
            }
        }
    }

    /// Where Huber's loss turns in this round, given residuals and weights; 0 for other losses.
    pub fn huber_delta(self, y: &BoostingTarget, w: &[f64], raw: &[f64], rows: &[u32]) -> f64 {
        match self {
            Self::Huber { alpha } => {
                let item = |&i: &u32| ((y.as_number(i as usize) - raw[i as usize]).abs(), w[i as usize]);
                quantile(&mut rows.iter().map(item).collect::<Vec<_>>(), alpha)
            }
            _ => 0.0,
        }
    }

    /// The loss of a row with the given scores.
    pub fn value(self, y: &BoostingTarget, i: usize, scores: &[f64], turn: f64) -> f64 {
        let (t, f) = (y.as_number(i), scores[0]);
        let r = t - f;
        match self {
            Self::Squared => r * r,
            Self::Absolute => r.abs(),
            Self::Huber { .. } if r.abs() <= turn => 0.5 * r * r,
            Self::Huber { .. } => turn * (r.abs() - 0.5 * turn),
            Self::Pinball { alpha } => r * if r >= 0.0 { alpha } else { alpha - 1.0 },
            Self::Poisson => f.exp() - t * f,
            Self::Logistic => 2.0 * log1p_exp((1.0 - 2.0 * t) * f),
            Self::Exponential => ((1.0 - 2.0 * t) * f).exp(),
            Self::Softmax { .. } => match y {
                BoostingTarget::Codes(codes) => log_sum_exp(scores) - scores[codes[i] as usize],
                BoostingTarget::Numbers(_) => 0.0,
            },
        }
    }

    /// The negative slope of the loss of a row by the score of `class`, up to a constant factor of the loss.
    pub fn residual(self, y: &BoostingTarget, i: usize, scores: &[f64], class: usize, turn: f64) -> f64 {
        let (t, f) = (y.as_number(i), scores[class]);
        let r = t - f;
        match self {
            Self::Squared => r,
            Self::Absolute => r.signum() * f64::from(u8::from(r != 0.0)),
            Self::Huber { .. } => r.clamp(-turn, turn),
            Self::Pinball { alpha } => {
                if r > 0.0 {
                    alpha
                } else {
                    alpha - 1.0
                }
            }
            Self::Poisson => t - f.exp(),
            Self::Logistic => t - sigmoid(f),
            Self::Exponential => (2.0 * t - 1.0) * ((1.0 - 2.0 * t) * f).exp(),
            Self::Softmax { .. } => y.is(i, class) - (f - log_sum_exp(scores)).exp(),
        }
    }

    /// The value of a leaf for the score of `class` that lowers the loss of its rows most: exactly, or by one Newton step
    /// (Friedman 2001).
    pub fn leaf_value(self, y: &BoostingTarget, w: &[f64], raw: &[f64], class: usize, rows: &[u32], turn: f64) -> f64 {
        let width = self.width();
        let scores = |i: u32| &raw[i as usize * width..][..width];
        let residual = |i: u32| y.as_number(i as usize) - raw[i as usize * width + class];
        let sum = |of: &dyn Fn(u32) -> f64| weighted_sum(rows.iter().map(|&i| (w[i as usize], of(i))));
        let ratio = |above: f64, below: f64| if below.abs() < 1e-150 { 0.0 } else { above / below };
        let at = |q: f64| quantile(&mut rows.iter().map(|&i| (residual(i), w[i as usize])).collect::<Vec<_>>(), q);
        let slope = |i: u32| self.residual(y, i as usize, scores(i), class, turn);
        match self {
            Self::Squared => ratio(sum(&residual), sum(&|_| 1.0)),
            Self::Absolute => at(0.5),
            Self::Pinball { alpha } => at(alpha),
            // One step from the median (Friedman 2001, algorithm 4).
            Self::Huber { .. } => {
                let middle = at(0.5);
                let beyond = sum(&|i| (residual(i) - middle).clamp(-turn, turn));
                middle + ratio(beyond, sum(&|_| 1.0))
            }
            // Exact; where all targets are 0 the best is minus infinity, and a Newton step is taken.
            Self::Poisson => {
                let (seen, expected) = (sum(&|i| y.as_number(i as usize)), sum(&|i| scores(i)[0].exp()));
                if seen > 0.0 { ratio(seen, expected).max(f64::MIN_POSITIVE).ln() } else { -1.0 }
            }
            Self::Logistic => {
                let below = sum(&|i| {
                    let p = sigmoid(scores(i)[0]);
                    p * (1.0 - p)
                });
                ratio(sum(&slope), below)
            }
            Self::Exponential => ratio(sum(&slope), sum(&|i| slope(i).abs())),
            Self::Softmax { classes } => {
                let below = sum(&|i| {
                    let p = y.is(i as usize, class) - slope(i);
                    p * (1.0 - p)
                });
                ratio(sum(&slope) * (classes as f64 - 1.0) / classes as f64, below)
            }
        }
    }

    /// Turns scores into probabilities or means, in place; `out` has a row of probabilities for two classes too.
    pub fn to_predictions(self, scores: &[f64], out: &mut [f64]) {
        match self {
            Self::Poisson => out[0] = scores[0].exp(),
            Self::Logistic | Self::Exponential => {
                let f = if self == Self::Logistic { scores[0] } else { 2.0 * scores[0] };
                out[0] = sigmoid(-f);
                out[1] = sigmoid(f);
            }
            Self::Softmax { .. } => {
                let all = log_sum_exp(scores);
                out.iter_mut().zip(scores).for_each(|(p, f)| *p = (f - all).exp());
                let sum: f64 = out.iter().sum();
                out.iter_mut().for_each(|p| *p /= sum);
            }
            _ => out[0] = scores[0],
        }
    }
}
