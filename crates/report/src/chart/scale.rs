//! Axes: from values to positions, and round tick values.

/// The scale of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// Even steps.
    #[default]
    Linear,
    /// Logarithmic; values that are not above 0 are left out.
    Log,
}

/// A tick of an axis.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tick {
    pub value: f64,
    pub label: String,
}

/// An axis with its ends known.
#[derive(Debug, Clone)]
pub(super) struct AxisRange {
    scale: Scale,
    low: f64,
    high: f64,
}

impl AxisRange {
    /// The range that holds all values that can be shown.
    pub fn of(scale: Scale, values: impl Iterator<Item = f64>) -> Self {
        let shown = values.filter(|v| v.is_finite() && (scale == Scale::Linear || *v > 0.0));
        let (low, high) = shown.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        let (low, high) = match (low <= high, scale) {
            (false, Scale::Linear) => (0.0, 1.0),
            (false, Scale::Log) => (1.0, 10.0),
            (true, _) if low < high => (low, high),
            // A single value is in the middle.
            (true, Scale::Log) => (low / 2.0, high * 2.0),
            (true, Scale::Linear) if low == 0.0 => (-1.0, 1.0),
            (true, Scale::Linear) => (low - 0.5 * low.abs(), high + 0.5 * high.abs()),
        };
        Self { scale, low, high }
    }

    /// The same with a margin at both ends, but never across 0 for values of one sign.
    pub fn with_room(mut self) -> Self {
        match self.scale {
            Scale::Linear => {
                // Halves, so that a range near the largest numbers does not overflow.
                let room = 0.05 * (0.5 * self.high - 0.5 * self.low) * 2.0;
                let (low, high) = (self.low - room, self.high + room);
                self.low = if self.low >= 0.0 && low < 0.0 { 0.0 } else { low.max(f64::MIN) };
                self.high = if self.high <= 0.0 && high > 0.0 { 0.0 } else { high.min(f64::MAX) };
            }
            Scale::Log => {
                let room = (self.high.ln() - self.low.ln()) * 0.04;
                self.low = (self.low.ln() - room).exp().max(f64::MIN_POSITIVE);
                self.high = (self.high.ln() + room).exp().min(f64::MAX);
            }
        }
        self
    }

    /// The ends.
    pub fn ends(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// Extends the range to a value.
    pub fn including(mut self, value: f64) -> Self {
        if self.scale == Scale::Linear {
            (self.low, self.high) = (self.low.min(value), self.high.max(value));
        }
        self
    }

    /// The position of a value between the ends, from 0 to 1; `None` for one that cannot be shown.
    pub fn place(&self, value: f64) -> Option<f64> {
        let share = match self.scale {
            Scale::Linear => (0.5 * value - 0.5 * self.low) / (0.5 * self.high - 0.5 * self.low),
            Scale::Log if value > 0.0 => (value.ln() - self.low.ln()) / (self.high.ln() - self.low.ln()),
            Scale::Log => return None,
        };
        (value.is_finite() && share.is_finite()).then_some(share)
    }

    /// About `about` round values between the ends.
    pub fn ticks(&self, about: usize) -> Vec<Tick> {
        match self.scale {
            Scale::Linear => linear(self.low, self.high, about),
            Scale::Log => log(self.low, self.high, about),
        }
    }
}

fn linear(low: f64, high: f64, about: usize) -> Vec<Tick> {
    let raw = (high / about.max(1) as f64) - (low / about.max(1) as f64);
    let power = raw.log10().floor();
    let unit = 10f64.powf(power);
    let step = [1.0, 2.0, 5.0, 10.0].iter().map(|m| m * unit).find(|s| *s >= raw * 0.999).unwrap_or(10.0 * unit);
    if !(step.is_finite() && step > 0.0) {
        return Vec::new();
    }
    let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
    let count = (last - first).clamp(0.0, 50.0) as usize;
    let values: Vec<f64> = (0..=count).map(|k| (first + k as f64) * step).filter(|v| v.is_finite()).collect();
    let most = values.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    values.into_iter().map(|value| Tick { value, label: label(value, step, most) }).collect()
}

/// The label of a value on an axis with tick distance `step` and largest value `most`.
fn label(value: f64, step: f64, most: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let text = if (1e-4..1e6).contains(&most) {
        let decimals = (-(step * 1.001).log10().floor()).clamp(0.0, 8.0) as usize;
        format!("{value:.decimals$}")
    } else {
        let power = most.log10().floor();
        let decimals = (power - (step * 1.001).log10().floor()).clamp(0.0, 8.0) as usize;
        format!("{:.decimals$}e{power}", value / 10f64.powf(power))
    };
    minus(&text)
}

/// A true minus sign, which is as wide as a digit.
fn minus(text: &str) -> String {
    text.replace('-', "\u{2212}")
}

fn log(low: f64, high: f64, about: usize) -> Vec<Tick> {
    let (first, last) = ((low.log10() - 1e-9).ceil() as i32, (high.log10() + 1e-9).floor() as i32);
    let decades = (last - first + 1).max(0) as usize;
    if decades < 2 && high / low < 20.0 {
        // Less than a decade or so: round numbers as on a linear axis.
        return linear(low, high, about).into_iter().filter(|t| t.value > 0.0).collect();
    }
    let within = |v: &f64| *v >= low * (1.0 - 1e-9) && *v <= high * (1.0 + 1e-9);
    let factors: &[f64] = if decades <= 2 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let skip = decades.div_ceil(about.max(1) + 2).max(1);
    let exponents = (first - 1..=last).filter(|k| k.rem_euclid(skip as i32) == 0 || factors.len() > 1);
    let values = exponents.flat_map(|k| factors.iter().map(move |f| f * 10f64.powi(k))).filter(within);
    values.map(|value| Tick { value, label: power_label(value) }).collect()
}

fn power_label(value: f64) -> String {
    let power = (value.log10() + 1e-9).floor();
    let text = if (-4.0..6.0).contains(&power) {
        let decimals = (-power).max(0.0) as usize;
        format!("{value:.decimals$}")
    } else {
        format!("{:.0}e{power}", value / 10f64.powf(power))
    };
    minus(&text)
}

/// Whether positive values span more than `ratio` and most of them are in the lowest tenth, as in a geometric sequence.
pub(super) fn is_geometric(values: &[f64], ratio: f64) -> bool {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    ermine_core::order::sort_numbers(&mut sorted);
    let (Some(&low), Some(&high)) = (sorted.first(), sorted.last()) else { return false };
    low > 0.0 && high / low > ratio && sorted[sorted.len() / 2] < low + 0.25 * (high - low)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &[Tick]) -> Vec<&str> {
        ticks.iter().map(|t| t.label.as_str()).collect()
    }

    #[test]
    fn even_axes_have_round_numbers() {
        assert_eq!(labels(&linear(0.0, 10.0, 5)), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(labels(&linear(-0.31, 0.28, 5)), ["−0.2", "0", "0.2"]);
        assert_eq!(labels(&linear(1234.0, 1251.0, 5)), ["1235", "1240", "1245", "1250"]);
        assert_eq!(labels(&linear(0.0, 2.6e7, 4)), ["0", "1e7", "2e7"]);
        assert_eq!(labels(&linear(0.0, 1.5e-7, 3)), ["0", "0.5e−7", "1.0e−7", "1.5e−7"]);
        assert!(linear(-1e308, 1e308, 5).len() > 2, "a range near the limits of numbers");
        for (low, high) in [(0.0, 1.0), (-3.0, 7.5), (1e-9, 3e-9), (99.0, 101.0), (-1e12, 5e11)] {
            let ticks = linear(low, high, 6);
            assert!((3..=13).contains(&ticks.len()), "{low} to {high}: {ticks:?}");
            assert!(ticks.iter().all(|t| t.value >= low - 1e-6 * (high - low) && t.value <= high + 1e-6 * (high - low)));
        }
    }

    #[test]
    fn axes_of_ratios_have_powers() {
        assert_eq!(labels(&log(0.001, 1000.0, 6)), ["0.001", "0.01", "0.1", "1", "10", "100", "1000"]);
        assert_eq!(labels(&log(0.8, 60.0, 6)), ["1", "2", "5", "10", "20", "50"]);
        assert_eq!(labels(&log(1e-12, 1.0, 4)), ["1e−12", "1e−9", "1e−6", "0.001", "1"]);
        assert!(log(2.0, 3.0, 5).len() >= 3);
    }

    #[test]
    fn places_lie_between_the_ends() {
        let range = AxisRange::of(Scale::Linear, [2.0, f64::NAN, 6.0].into_iter());
        assert_eq!((range.place(2.0), range.place(5.0), range.place(f64::INFINITY)), (Some(0.0), Some(0.75), None));
        let range = AxisRange::of(Scale::Log, [0.01, -3.0, 100.0].into_iter());
        assert!((range.place(1.0).unwrap() - 0.5).abs() < 1e-12);
        assert_eq!(range.place(0.0), None);
        assert_eq!(AxisRange::of(Scale::Linear, [3.0].into_iter()).place(3.0), Some(0.5));
        assert_eq!(AxisRange::of(Scale::Linear, std::iter::empty()).place(0.5), Some(0.5));
        let room = AxisRange::of(Scale::Linear, [0.0, 1.0].into_iter()).with_room();
        assert_eq!(room.place(0.0), Some(0.0), "0 stays the end of what is never negative");
    }

    #[test]
    fn a_geometric_grid_is_known() {
        let grid: Vec<f64> = (0..50).map(|k| 10f64.powf(-3.0 + 0.1 * f64::from(k))).collect();
        assert!(is_geometric(&grid, 50.0));
        assert!(!is_geometric(&(1..50).map(f64::from).collect::<Vec<_>>(), 20.0));
        assert!(!is_geometric(&[0.0, 1.0, 1000.0], 50.0));
    }
}
