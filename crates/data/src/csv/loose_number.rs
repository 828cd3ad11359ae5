//! Numbers as people write them: thousands, money, shares, decimal commas, units.

use super::number;

/// Most bytes of a unit.
const UNIT_BYTES: usize = 6;
/// Longest number with its unit.
const LONGEST: usize = 48;

/// A unit: what stands before or after the digits, such as `$`, `%` or `kg`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Unit {
    text: [u8; UNIT_BYTES],
    length: u8,
}

impl Unit {
    fn new(text: &[u8]) -> Option<Self> {
        let mut unit = Self::default();
        unit.text.get_mut(..text.len())?.copy_from_slice(text);
        unit.length = text.len() as u8;
        Some(unit)
    }

    pub(crate) fn is_none(self) -> bool {
        self.length == 0
    }
}

impl std::fmt::Display for Unit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.text[..usize::from(self.length)]))
    }
}

/// How the numbers of a column are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NumberStyle {
    /// Whether a comma stands before the decimals, and a point between thousands.
    pub(crate) decimal_comma: bool,
    /// The unit that cells may have.
    pub(crate) unit: Unit,
}

/// The number of a cell and its unit.
pub(crate) fn parse_with_unit(text: &[u8], decimal_comma: bool) -> Option<(f64, Unit)> {
    if text.len() > LONGEST || !text.iter().any(u8::is_ascii_digit) {
        return None;
    }
    let (negative, text) = match text {
        [b'(', inner @ .., b')'] => (true, inner),
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        text => (false, text),
    };
    let in_number = |b: &u8| b.is_ascii_digit() || matches!(b, b'.' | b',' | b'\'');
    let from = text.iter().position(in_number)?;
    let to = text.iter().rposition(in_number)? + 1;
    let (before, digits, after) = (trim(&text[..from]), &text[from..to], trim(&text[to..]));
    // The sign may stand between a currency and its digits.
    let (signed, before) = match before {
        [unit @ .., b'-'] => (true, trim(unit)),
        before => (false, before),
    };
    let unit = match (before, after) {
        (unit, []) | ([], unit) if unit.iter().all(|&b| !b.is_ascii_digit() && b != b'-' && b != b'/' && b != b':') => unit,
        _ => return None,
    };
    // Letters before digits are a code and no unit.
    if before.iter().any(u8::is_ascii_alphabetic) {
        return None;
    }
    let value = grouped(digits, decimal_comma)?;
    Some((if negative != signed { -value } else { value }, Unit::new(unit)?))
}

fn trim(text: &[u8]) -> &[u8] {
    super::record::trim(text)
}

/// The value of digits with separators of thousands.
fn grouped(digits: &[u8], decimal_comma: bool) -> Option<f64> {
    let (point, group) = if decimal_comma { (b',', b'.') } else { (b'.', b',') };
    let mut plain = [0u8; LONGEST];
    let (mut length, mut since_group, mut decimals) = (0, None::<usize>, false);
    for &b in digits {
        match b {
            b'0'..=b'9' => {
                if !decimals && let Some(count) = &mut since_group {
                    *count += 1;
                }
                plain[length] = b;
                length += 1;
            }
            _ if b == point && !decimals => {
                if since_group.is_some_and(|count| count != 3) {
                    return None;
                }
                decimals = true;
                plain[length] = b'.';
                length += 1;
            }
            _ if (b == group || b == b'\'' || b == b' ') && !decimals => {
                // One to three digits come first, and three after each separator.
                let whole = since_group.map_or((1..=3).contains(&length), |count| count == 3);
                if !whole {
                    return None;
                }
                since_group = Some(0);
            }
            _ => return None,
        }
    }
    if !decimals && since_group.is_some_and(|count| count != 3) {
        return None;
    }
    number::parse(&plain[..length])
}

impl NumberStyle {
    /// The number in a cell of a column of this style.
    pub(crate) fn parse(&self, text: &[u8]) -> Option<f64> {
        if let Some(value) = if self.decimal_comma { number::parse_comma(text) } else { number::parse(text) } {
            return Some(value);
        }
        let (value, unit) = parse_with_unit(text, self.decimal_comma)?;
        (unit.is_none() || unit == self.unit).then_some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_people_write_them() {
        let read = |text: &str, comma: bool| parse_with_unit(text.as_bytes(), comma).map(|(v, u)| (v, u.to_string()));
        for (text, comma, value, unit) in [
            ("1,234,567", false, 1_234_567.0, ""),
            ("$1,234.50", false, 1234.5, "$"),
            ("-$5", false, -5.0, "$"),
            ("$-5", false, -5.0, "$"),
            ("3.5%", false, 3.5, "%"),
            ("1.234,56", true, 1234.56, ""),
            ("3,25", true, 3.25, ""),
            ("12 €", false, 12.0, "€"),
            ("(12)", false, -12.0, ""),
            ("70 kg", false, 70.0, "kg"),
            ("1'000", false, 1000.0, ""),
        ] {
            assert_eq!(read(text, comma), Some((value, unit.to_owned())), "{text}");
        }
        for text in
            ["", "x", "A12", "1,23", "1,2345", "12,34,567", "1.2.3", "2024-01-01", "10:30", "1/2", "5 to 6", "12 kilometers"]
        {
            assert_eq!(read(text, false), None, "{text}");
        }
    }
}
