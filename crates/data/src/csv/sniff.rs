//! Detection of a file's separators from its first bytes.

use super::number;
use super::record::{Dialect, blank_line, record};

const DELIMITERS: [u8; 4] = [b',', b'\t', b';', b'|'];
/// Records examined.
const RECORDS: usize = 100;

/// The terminator: `\n`, unless the text has `\r` and no `\n`.
pub(super) fn terminator(head: &[u8]) -> u8 {
    if memchr::memchr(b'\n', head).is_none() && memchr::memchr(b'\r', head).is_some() { b'\r' } else { b'\n' }
}

/// The number of cells of the first records under a delimiter; the last record may be cut off and is left out unless
/// `whole` or the only one.
fn widths(head: &[u8], dialect: &Dialect, whole: bool) -> Vec<usize> {
    let (mut at, mut out) = (0, Vec::new());
    while at < head.len() && out.len() < RECORDS {
        if let Some(next) = blank_line(head, at, dialect) {
            at = next;
            continue;
        }
        let Ok((cells, next)) = record(head, at, dialect) else { break };
        out.push(cells.len());
        at = next;
    }
    if at >= head.len() && !whole && out.len() > 1 {
        out.pop();
    }
    out
}

/// The delimiter that cuts all records into the same number (above 1) of cells, most cells first; failing that, the one
/// that cuts the first record most; failing that, a comma.
pub(super) fn delimiter(head: &[u8], terminator: u8, whole: bool) -> u8 {
    let score = |delimiter: u8| {
        let widths = widths(head, &Dialect { delimiter, terminator, decimal_comma: false }, whole);
        let first = widths.first().copied().filter(|&w| w > 1).unwrap_or(0);
        (first > 1 && widths.iter().all(|&w| w == first), first)
    };
    // On a tie the earlier delimiter wins: max_by_key takes the last maximum.
    DELIMITERS.into_iter().rev().max_by_key(|&d| score(d)).unwrap_or(b',')
}

/// Whether numbers are written with a comma: cells like `3,14` and none like `3.14`, between semicolons.
pub(super) fn decimal_comma(head: &[u8], dialect: &Dialect) -> bool {
    if dialect.delimiter != b';' {
        return false;
    }
    let (mut at, mut commas) = (0, false);
    for _ in 0..RECORDS {
        if at >= head.len() {
            break;
        }
        let Ok((cells, next)) = record(head, at, dialect) else { break };
        for cell in cells {
            if cell.text.contains(&b'.') && number::parse(cell.text).is_some() {
                return false;
            }
            commas |= cell.text.contains(&b',') && number::parse_comma(cell.text).is_some();
        }
        at = next;
    }
    commas
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sniff(head: &str) -> (char, bool) {
        let terminator = terminator(head.as_bytes());
        let delimiter = delimiter(head.as_bytes(), terminator, true);
        let comma = decimal_comma(head.as_bytes(), &Dialect { delimiter, terminator, decimal_comma: false });
        (delimiter as char, comma)
    }

    #[test]
    fn the_delimiter_is_the_one_that_cuts_evenly() {
        assert_eq!(sniff("a,b\n1,2\n"), (',', false));
        assert_eq!(sniff("a;b\n1,5;2\n"), (';', true));
        assert_eq!(sniff("a;b\n1.5;2,5\n"), (';', false));
        assert_eq!(sniff("a\tb\n1,5\t2\n"), ('\t', false));
        assert_eq!(sniff("a|b|c\n1|2|3\n"), ('|', false));
        assert_eq!(sniff("a,b\n\"x;y;z\",2\n"), (',', false));
        assert_eq!(sniff("a\n1\n"), (',', false));
        assert_eq!(sniff("note\nhello, world\nbye\n"), (',', false));
        assert_eq!(sniff("a,b\r1,2\r"), (',', false));
        assert_eq!(sniff("a,b;c\n1,2\n"), (',', false));
    }
}
