//! Dates as people write them: other orders than ISO 8601, names of months, times of day.

use ermine_core::date;

/// The order of day, month and year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DateOrder {
    /// ISO 8601 alone.
    Iso,
    YearMonthDay,
    DayMonthYear,
    MonthDayYear,
}

const MONTHS: [&[u8]; 12] = [b"jan", b"feb", b"mar", b"apr", b"may", b"jun", b"jul", b"aug", b"sep", b"oct", b"nov", b"dec"];
/// Years of two digits below this are after 2000.
const TURN_OF_CENTURY: i64 = 69;

impl DateOrder {
    /// The orders that are tried, in this order.
    pub(crate) const ALL: [Self; 4] = [Self::Iso, Self::YearMonthDay, Self::DayMonthYear, Self::MonthDayYear];

    /// The order with day and month exchanged.
    pub(crate) fn exchanged(self) -> Option<Self> {
        match self {
            Self::DayMonthYear => Some(Self::MonthDayYear),
            Self::MonthDayYear => Some(Self::DayMonthYear),
            Self::Iso | Self::YearMonthDay => None,
        }
    }

    /// What it looks like.
    pub(crate) fn pattern(self) -> &'static str {
        match self {
            Self::Iso => "an ISO 8601 date",
            Self::YearMonthDay => "a date, year/month/day",
            Self::DayMonthYear => "a date, day/month/year",
            Self::MonthDayYear => "a date, month/day/year",
        }
    }

    /// Days since 1970-01-01 of a date in this order, with or without a time of day after it.
    pub(crate) fn parse(self, text: &[u8]) -> Option<f64> {
        if self == Self::Iso || (text.len() >= 10 && text[4] == b'-') {
            return date::parse(text);
        }
        if !text.iter().any(u8::is_ascii_digit) || text.len() > 40 {
            return None;
        }
        let (parts, rest) = three_parts(text)?;
        let (year, month, day) = match (self, parts) {
            (Self::YearMonthDay, [y, m, d]) => (y, m, d),
            (Self::DayMonthYear, [d, m, y]) => (y, m, d),
            // A month by its name is known wherever it stands.
            (_, [d, m @ DatePart::Name(_), y]) => (y, m, d),
            (_, [m, d, y]) => (y, m, d),
        };
        // And a name in front is a month in the other order too.
        let (month, day) = if matches!(day, DatePart::Name(_)) { (day, month) } else { (month, day) };
        let (DatePart::Number(year, digits), DatePart::Number(day, _)) = (year, day) else { return None };
        let month = match month {
            DatePart::Number(month, _) | DatePart::Name(month) => month,
        };
        let year = match digits {
            4 => i64::from(year),
            2 => i64::from(year) + if i64::from(year) < TURN_OF_CENTURY { 2000 } else { 1900 },
            _ => return None,
        };
        // The house's parser checks the day and reads the time.
        let iso = format!("{year:04}-{month:02}-{day:02}{}", time_of(rest)?);
        date::parse(iso.as_bytes())
    }
}

#[derive(Debug, Clone, Copy)]
enum DatePart {
    /// A number and how many digits it has.
    Number(u32, usize),
    /// A month by its name.
    Name(u32),
}

/// The three parts of a date, and what follows.
fn three_parts(text: &[u8]) -> Option<([DatePart; 3], &[u8])> {
    let mut rest = text;
    let mut parts = [DatePart::Number(0, 0); 3];
    for (i, part) in parts.iter_mut().enumerate() {
        if i > 0 {
            let separator = rest.iter().take_while(|b| matches!(b, b'/' | b'-' | b'.' | b' ' | b',')).count();
            rest = &rest[Some(separator).filter(|n| (1..=2).contains(n))?..];
        }
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let letters = rest.iter().take_while(|b| b.is_ascii_alphabetic()).count();
        if (1..=4).contains(&digits) {
            let value = rest[..digits].iter().fold(0, |n, b| n * 10 + u32::from(b - b'0'));
            *part = DatePart::Number(value, digits);
        } else if letters >= 3 {
            let month = MONTHS.iter().position(|m| rest[..3].eq_ignore_ascii_case(m))?;
            *part = DatePart::Name(month as u32 + 1);
        } else {
            return None;
        }
        rest = &rest[digits.max(letters)..];
    }
    Some((parts, rest))
}

/// The time of day after a date, as ISO 8601 has it; nothing where there is none.
fn time_of(rest: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(rest).ok()?.trim_start_matches([' ', 'T', ',']).trim();
    if text.is_empty() {
        return Some(String::new());
    }
    let lower = text.to_ascii_lowercase();
    let (clock, half) = match (lower.strip_suffix("am"), lower.strip_suffix("pm")) {
        (Some(clock), _) => (clock.trim(), Some(0)),
        (_, Some(clock)) => (clock.trim(), Some(12)),
        _ => (lower.as_str(), None),
    };
    let (hour, after) = clock.split_once(':')?;
    let mut hour: u32 = hour.parse().ok()?;
    if let Some(half) = half {
        hour = if (1..=12).contains(&hour) { hour % 12 + half } else { return None };
    }
    Some(format!("T{hour:02}:{}", after.to_ascii_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_in_their_order() {
        let iso = |order: DateOrder, text: &str| order.parse(text.as_bytes()).map(date::format);
        for (order, text, expected) in [
            (DateOrder::DayMonthYear, "28/01/2018", "2018-01-28"),
            (DateOrder::DayMonthYear, "28.1.18", "2018-01-28"),
            (DateOrder::DayMonthYear, "5-Jan-1999", "1999-01-05"),
            (DateOrder::DayMonthYear, "5 January 1999", "1999-01-05"),
            (DateOrder::MonthDayYear, "Jan 5, 1999", "1999-01-05"),
            (DateOrder::MonthDayYear, "1/28/2018 5:30 PM", "2018-01-28T17:30:00"),
            (DateOrder::MonthDayYear, "1/28/2018 12:05:09 AM", "2018-01-28T00:05:09"),
            (DateOrder::YearMonthDay, "2018/01/28", "2018-01-28"),
            (DateOrder::DayMonthYear, "28/01/2018 17:30+01:00", "2018-01-28T16:30:00"),
            (DateOrder::Iso, "2018-01-28", "2018-01-28"),
        ] {
            assert_eq!(iso(order, text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(iso(DateOrder::MonthDayYear, "28/01/2018"), None);
        assert_eq!(iso(DateOrder::DayMonthYear, "31/02/2018"), None);
        assert_eq!(iso(DateOrder::DayMonthYear, "1.2"), None);
        assert_eq!(iso(DateOrder::DayMonthYear, "1.2.3"), None);
    }
}
