//! Decimal text to f64, exactly: the nearest f64, ties to even, as `str::parse` gives.
//!
//! Most cells are short, and for those one division is exact (Clinger 1990): the digits as an integer below 2^53 and a
//! power of ten up to 10^22 are both exact in f64, and their quotient is correctly rounded. Everything else goes to the
//! standard library.

/// Powers of ten that are exact in f64.
const TENS: [f64; 16] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
const WHOLE_TENS: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// The run of at most 8 digits at `at`: its value and length. `None` when fewer than 8 bytes are left.
#[inline(always)]
fn digits(text: &[u8], at: usize) -> Option<(u64, usize)> {
    let word: [u8; 8] = text.get(at..at + 8)?.try_into().ok()?;
    // A digit becomes 0..=9; a byte above 9 carries into its top bit. A carry out of a byte reaches only bytes after the
    // first that is no digit, and only that first one is asked for.
    let word = u64::from_le_bytes(word) ^ 0x3030_3030_3030_3030;
    let other = (word.wrapping_add(0x7676_7676_7676_7676) | word) & 0x8080_8080_8080_8080;
    let count = (other.trailing_zeros() / 8) as usize;
    if count == 0 {
        return Some((0, 0));
    }
    // The digits move to the end, zeros before them; then pairs, fours and eights are put together.
    let word = word << (64 - 8 * count);
    let pairs = (word.wrapping_mul(10) + (word >> 8)) & 0x00FF_00FF_00FF_00FF;
    let fours = (pairs.wrapping_mul(100) + (pairs >> 16)) & 0x0000_FFFF_0000_FFFF;
    let eight = (fours.wrapping_mul(10_000) + (fours >> 32)) & 0xFFFF_FFFF;
    Some((eight, count))
}

/// A short plain decimal (sign, at most 15 digits on each side of the point) at the start of `text[at..]`: its value
/// and its end. `None` says nothing about the text: it may be a longer number, no number, or near the end.
#[inline(always)]
pub(crate) fn short(text: &[u8], at: usize) -> Option<(f64, usize)> {
    let negative = *text.get(at)? == b'-';
    let mut at = at + usize::from(negative);
    let (mut mantissa, mut count) = digits(text, at)?;
    at += count;
    if count == 8 {
        let (more, n) = digits(text, at)?;
        if n == 8 {
            return None;
        }
        mantissa = mantissa * WHOLE_TENS[n] + more;
        count += n;
        at += n;
    }
    let mut fraction = 0;
    if *text.get(at)? == b'.' {
        let (more, n) = digits(text, at + 1)?;
        (fraction, at) = (n, at + 1 + n);
        count += n;
        mantissa = mantissa.wrapping_mul(WHOLE_TENS[n]).wrapping_add(more);
        if n == 8 {
            let (more, n) = digits(text, at)?;
            if n == 8 {
                return None;
            }
            (fraction, at) = (fraction + n, at + n);
            count += n;
            mantissa = mantissa.wrapping_mul(WHOLE_TENS[n]).wrapping_add(more);
        }
    }
    // Above 19 digits the integer has wrapped; above 2^53 it is not exact in f64.
    if count == 0 || count > 19 || mantissa > 1 << 53 {
        return None;
    }
    let value = mantissa as f64 / TENS[fraction];
    Some((if negative { -value } else { value }, at))
}

/// The number spelled by all of `text`, or `None`. Accepts what `str::parse::<f64>` accepts: sign, digits, point,
/// exponent, `inf`, `infinity`, `nan` in any case.
pub(crate) fn parse(text: &[u8]) -> Option<f64> {
    // Checking the first byte avoids the conversion for columns of words.
    if !matches!(text.first()?, b'0'..=b'9' | b'+' | b'-' | b'.' | b'i' | b'I' | b'n' | b'N') {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// Whether `text` is an integer written out whose nearest f64, `value`, is not equal to it.
pub(crate) fn is_rounded(text: &[u8], value: f64) -> bool {
    const EXACT: f64 = (1u64 << 53) as f64;
    // Most numbers are small; then the text is not examined.
    value.abs() >= EXACT
        && std::str::from_utf8(text).is_ok_and(|t| match t.parse::<i128>() {
            Ok(whole) => whole != value as i128,
            // Beyond 38 digits a whole number is never exact, or as good as never.
            Err(_) => t.trim_start_matches(['-', '+']).bytes().all(|b| b.is_ascii_digit()),
        })
}

/// [`parse`] of a number with a decimal comma. A point is an error, so that `1.234,5` is never misread.
pub(crate) fn parse_comma(text: &[u8]) -> Option<f64> {
    let mut plain = [0u8; 64];
    let plain = plain.get_mut(..text.len())?;
    for (to, &from) in plain.iter_mut().zip(text) {
        *to = match from {
            b',' => b'.',
            b'.' => return None,
            other => other,
        };
    }
    parse(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The fast path for `text` followed by a delimiter, as in a file; must agree with `str::parse` or return `None`.
    fn agrees(text: &str) {
        let line = format!("{text},        ");
        let expected = text.parse::<f64>();
        if let Some((value, end)) = short(line.as_bytes(), 0)
            && end == text.len()
        {
            assert_eq!(Ok(value.to_bits()), expected.as_ref().map(|v| v.to_bits()).map_err(|e| e.clone()), "{text}");
        }
        assert_eq!(parse(text.as_bytes()).map(f64::to_bits), expected.ok().map(f64::to_bits), "{text}");
    }

    #[test]
    fn whole_numbers_are_exact_or_rounded() {
        let rounded = |text: &str| is_rounded(text.as_bytes(), text.parse().unwrap());
        for exact in ["9007199254740992", "-9007199254740994", "1e300", "12345678901234567890.5", "18446744073709551616", "3"] {
            assert!(!rounded(exact), "{exact}");
        }
        for inexact in ["9007199254740993", "-9007199254740993", "1234567890123456789"] {
            assert!(rounded(inexact), "{inexact}");
        }
        assert!(rounded(&"7".repeat(60)));
    }

    #[test]
    fn edges_agree_with_the_standard_library() {
        for text in [
            "",
            "-",
            ".",
            "-.",
            "+1",
            "1",
            "-1",
            "0",
            "-0",
            "00",
            "1.",
            ".5",
            "-.5",
            "1.5",
            "1e5",
            "1E-5",
            "1e",
            "e5",
            "12345678",
            "123456789",
            "1234567812345678",
            "9007199254740992",
            "9007199254740993",
            "9007199254740992.0",
            "0.1",
            "0.30000000000000004",
            "1.7976931348623157e308",
            "1e309",
            "5e-324",
            "2e-324",
            "0.000000000000001",
            "123456.1234567",
            "123456.12345678",
            "123456.123456789",
            "1.123456789012345",
            "1.1234567890123456",
            "9999999999.999999999",
            "99999999999.999999999",
            "inf",
            "-inf",
            "NaN",
            "infinity",
            "1_000",
            "0x10",
            "1 ",
            " 1",
            "--1",
            "1.2.3",
            "12345678.",
            "12a",
            "1,5",
        ] {
            agrees(text);
        }
        assert_eq!(parse_comma(b"-3,25"), Some(-3.25));
        assert_eq!(parse_comma(b"1.234,5"), None);
        assert_eq!(parse_comma(&[b'1'; 100]), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        #[test]
        fn every_double_reads_back(bits in any::<u64>()) {
            let v = f64::from_bits(bits);
            agrees(&format!("{v}"));
            agrees(&format!("{v:e}"));
        }

        #[test]
        fn every_decimal_agrees(text in "-?[0-9]{0,20}(\\.[0-9]{0,20})?([eE][+-]?[0-9]{1,3})?") {
            agrees(&text);
        }

        #[test]
        fn rounded_numbers_agree(v in -1e7..1e7f64, places in 0usize..12) {
            agrees(&format!("{v:.places$}"));
        }

        #[test]
        fn any_bytes_are_no_worse(text in "[-+.eE0-9,a ]{0,24}") {
            agrees(&text);
        }
    }
}
