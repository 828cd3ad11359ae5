//! How the numbers and dates of a column are written, told from its first cells.

use super::loose_number::{NumberStyle, Unit, parse_with_unit};
use super::mend::CellKind;
use super::number;
use crate::column_chunk::ParseAs;
use crate::dates::DateOrder;

/// A column is one of numbers if this share of its cells are; the others are missing.
const LEAST_SHARE: f64 = 0.95;
/// Words that are named in a note.
const NAMED_WORDS: usize = 3;

/// How the cells of a column are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CellStyle {
    /// Of numbers that are not all plain.
    pub(crate) number: Option<NumberStyle>,
    pub(crate) date: DateOrder,
    /// Whether the other order of day and month was tried.
    exchanged: bool,
}

impl Default for CellStyle {
    fn default() -> Self {
        Self { number: None, date: DateOrder::Iso, exchanged: false }
    }
}

impl CellStyle {
    pub(crate) fn of_date(date: DateOrder) -> Self {
        Self { date, ..Self::default() }
    }

    /// How a column is read again that was not what it seemed.
    pub(crate) fn next(self, plan: ParseAs, decimal_comma: bool) -> (ParseAs, Self) {
        match (plan, self.number, self.date.exchanged()) {
            (ParseAs::Number, None, _) => {
                let number = Some(NumberStyle { decimal_comma, ..NumberStyle::default() });
                (ParseAs::Number, Self { number, ..self })
            }
            (ParseAs::Date, _, Some(date)) if !self.exchanged => (ParseAs::Date, Self { date, exchanged: true, ..self }),
            _ => (ParseAs::Strings, self),
        }
    }
}

/// What was seen of a column.
#[derive(Debug, Clone, Default)]
pub(crate) struct ColumnTally {
    /// Numbers; of dates, those that could have day and month exchanged.
    pub(crate) cells: u64,
    /// Dates that tell day from month.
    pub(crate) settled: u64,
    /// Cells that are no numbers.
    pub(crate) strays: u64,
    /// The first of them and their lines.
    pub(crate) words: Vec<(String, u64)>,
}

impl ColumnTally {
    /// Adds a cell that is no number.
    pub(crate) fn stray(&mut self, text: &[u8], line: u64) {
        self.strays += 1;
        if self.words.len() < NAMED_WORDS {
            let word: String = String::from_utf8_lossy(text).chars().take(30).collect();
            self.words.push((word, line));
        }
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.cells += other.cells;
        self.settled += other.settled;
        self.strays += other.strays;
        self.words.extend(other.words);
        self.words.truncate(NAMED_WORDS);
    }

    /// Whether too few of the cells are numbers.
    pub(crate) fn is_refuted(&self) -> bool {
        (self.strays as f64) > (1.0 - LEAST_SHARE) * (self.cells + self.strays) as f64
    }

    /// What a user should know.
    pub(crate) fn note(&self, name: &str, plan: ParseAs, style: CellStyle) -> Option<String> {
        if plan == ParseAs::Date && style.date.exchanged().is_some() && self.settled == 0 && self.cells > 0 {
            let order = style.date.pattern();
            return Some(format!(
                "column \"{name}\": no cell tells day from month; each is read as {order} (--date-format overrules)"
            ));
        }
        if plan != ParseAs::Number || self.strays == 0 {
            return None;
        }
        let words: Vec<String> = self.words.iter().map(|(word, line)| format!("\"{word}\" (line {line})")).collect();
        let more = self.strays - self.words.len() as u64;
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let cells = if self.strays == 1 {
            "1 cell is no number and counts".into()
        } else {
            format!("{} cells are no numbers and count", self.strays)
        };
        Some(format!("column \"{name}\": {cells} as missing: {}{more}", words.join(", ")))
    }
}

/// What the first cells of a column look like.
#[derive(Debug, Clone, Default)]
pub(crate) struct CellSample {
    cells: usize,
    plain: usize,
    /// Numbers with a decimal point, and with a decimal comma, thousands and units among them.
    numbers: [usize; 2],
    unit: Option<Unit>,
    mixed_units: bool,
    /// Words for missing.
    missing: usize,
    /// Cells that are dates in each order.
    dates: [usize; 4],
    slash: bool,
    /// Whether some cell is another day in the other order.
    order_matters: bool,
}

impl CellSample {
    /// Adds a cell that is not missing; `plain` if it is a number of the dialect.
    pub(crate) fn add(&mut self, text: &[u8], plain: bool) {
        self.cells += 1;
        self.plain += usize::from(plain);
        // Columns of numbers and of words are most; they are no dates at the first cell.
        let mut days = [None; 4];
        for ((count, order), days) in self.dates.iter_mut().zip(DateOrder::ALL).zip(&mut days) {
            if *count + 1 == self.cells {
                *days = order.parse(text);
                *count += usize::from(days.is_some());
            }
        }
        self.order_matters |= days[2].is_some() && days[3].is_some() && days[2] != days[3];
        self.slash |= text.contains(&b'/');
        if plain {
            self.numbers[0] += 1;
            // A plain number with a point has no decimal comma.
            self.numbers[1] += usize::from(!text.contains(&b'.'));
            return;
        }
        let mut any = None;
        for (count, comma) in self.numbers.iter_mut().zip([false, true]) {
            let parsed = parse_with_unit(text, comma).or_else(|| {
                let value = if comma { number::parse_comma(text) } else { number::parse(text) };
                value.map(|v| (v, Unit::default()))
            });
            *count += usize::from(parsed.is_some());
            any = any.or(parsed);
        }
        match any {
            Some((_, unit)) if !unit.is_none() => {
                self.mixed_units |= self.unit.is_some_and(|known| known != unit);
                self.unit = Some(unit);
            }
            Some(_) => {}
            None => self.missing += usize::from(std::str::from_utf8(text).is_ok_and(|t| CellKind::of(t) == CellKind::Missing)),
        }
    }

    /// How the column is read.
    pub(crate) fn plan(&self, asked: Option<DateOrder>) -> (ParseAs, CellStyle) {
        let usual = CellStyle::default();
        if self.plain == self.cells {
            return (ParseAs::Number, usual);
        }
        if let Some(order) = self.date_order(asked) {
            return (ParseAs::Date, CellStyle::of_date(order));
        }
        let decimal_comma = self.numbers[1] > self.numbers[0];
        let numbers = self.numbers[usize::from(decimal_comma)];
        let enough = numbers as f64 >= LEAST_SHARE * (self.cells - self.missing) as f64 && numbers > self.missing;
        if !enough || self.mixed_units {
            return (ParseAs::Strings, usual);
        }
        let number = Some(NumberStyle { decimal_comma, unit: self.unit.unwrap_or_default() });
        (ParseAs::Number, CellStyle { number, ..usual })
    }

    /// Whether the cells are dates and do not tell day from month.
    pub(crate) fn is_ambiguous(&self) -> bool {
        self.cells > 0 && self.order_matters && self.dates[2] == self.cells && self.dates[3] == self.cells
    }

    /// The order that all cells have.
    fn date_order(&self, asked: Option<DateOrder>) -> Option<DateOrder> {
        let all = |order: DateOrder| {
            let place = DateOrder::ALL.iter().position(|&o| o == order);
            place.is_some_and(|i| self.dates[i] == self.cells)
        };
        if let Some(order) = asked.filter(|&order| all(order)) {
            return Some(order);
        }
        let orders = DateOrder::ALL.into_iter().filter(|&o| all(o)).collect::<Vec<_>>();
        match orders[..] {
            [DateOrder::DayMonthYear, DateOrder::MonthDayYear] if self.slash => Some(DateOrder::MonthDayYear),
            [first, ..] => Some(first),
            [] => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(cells: &[&str]) -> (ParseAs, CellStyle) {
        let mut sample = CellSample::default();
        cells.iter().for_each(|c| sample.add(c.as_bytes(), number::parse(c.as_bytes()).is_some()));
        sample.plan(None)
    }

    #[test]
    fn columns_are_read_as_their_cells_are_written() {
        let style = |cells: &[&str]| {
            let (plan, style) = plan(cells);
            (plan, style.number.map(|s| (s.decimal_comma, s.unit.to_string())))
        };
        assert_eq!(style(&["1", "2.5"]), (ParseAs::Number, None));
        assert_eq!(style(&["1,234", "$5", "$1,000.50"]), (ParseAs::Number, Some((false, "$".into()))));
        assert_eq!(style(&["1.234,56", "3,1"]), (ParseAs::Number, Some((true, String::new()))));
        assert_eq!(style(&["3.5%", "10%"]), (ParseAs::Number, Some((false, "%".into()))));
        assert_eq!(style(&["$5", "£5"]).0, ParseAs::Strings);
        assert_eq!(style(&["5", "five", "6"]).0, ParseAs::Strings);
        let many: Vec<&str> = std::iter::repeat_n("5", 99).chain(["five"]).collect();
        assert_eq!(style(&many), (ParseAs::Number, Some((false, String::new()))));
        assert_eq!(style(&["5", "n/a", "6", "7"]).0, ParseAs::Number);
    }

    #[test]
    fn dates_are_told_by_all_their_cells() {
        let order = |cells: &[&str]| {
            let (plan, style) = plan(cells);
            (plan == ParseAs::Date).then_some(style.date)
        };
        assert_eq!(order(&["2020-01-02", "2020-01-03"]), Some(DateOrder::Iso));
        assert_eq!(order(&["2020/01/02", "2020/01/03"]), Some(DateOrder::YearMonthDay));
        assert_eq!(order(&["1/2/2020", "13/2/2020"]), Some(DateOrder::DayMonthYear));
        assert_eq!(order(&["1/2/2020", "1/13/2020"]), Some(DateOrder::MonthDayYear));
        assert_eq!(order(&["1/2/2020", "3/4/2020"]), Some(DateOrder::MonthDayYear));
        assert_eq!(order(&["1.2.2020", "3.4.2020"]), Some(DateOrder::DayMonthYear));
        assert_eq!(order(&["1.2.2020", "never"]), None);
    }
}
