//! Bytes to text.

/// Bytes that are looked at for zeros.
const SAMPLE_BYTES: usize = 1 << 12;

/// What Windows-1252 has where Latin-1 has control characters, from byte 0x80 on (WHATWG Encoding Standard).
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘', '’', '“', '”',
    '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Encodings of text that is not UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Utf16 {
    LittleEndian,
    BigEndian,
}

/// The byte order of UTF-16 text without a mark: of Latin letters, every other byte is zero.
fn unmarked_utf16(bytes: &[u8]) -> Option<Utf16> {
    let sample = &bytes[..bytes.len().min(SAMPLE_BYTES) & !1];
    let zeros = |from: usize| sample.iter().skip(from).step_by(2).filter(|&&b| b == 0).count();
    let (even, odd, half) = (zeros(0), zeros(1), sample.len() / 2);
    if half < 2 {
        None
    } else if 10 * odd >= 7 * half && 10 * even <= half {
        Some(Utf16::LittleEndian)
    } else if 10 * even >= 7 * half && 10 * odd <= half {
        Some(Utf16::BigEndian)
    } else {
        None
    }
}

/// The byte order of UTF-16 text and the length of its mark.
fn utf16(bytes: &[u8]) -> Option<(Utf16, usize)> {
    match bytes {
        [0xFF, 0xFE, ..] => Some((Utf16::LittleEndian, 2)),
        [0xFE, 0xFF, ..] => Some((Utf16::BigEndian, 2)),
        _ => unmarked_utf16(bytes).map(|order| (order, 0)),
    }
}

/// Whether bytes are UTF-16 text.
pub(crate) fn is_utf16(bytes: &[u8]) -> bool {
    utf16(bytes).is_some()
}

/// The text, and the name of its encoding where it is not UTF-8.
pub(crate) fn decode(bytes: Vec<u8>) -> (String, Option<&'static str>) {
    if let Some((order, start)) = utf16(&bytes) {
        let (unit, name): (fn([u8; 2]) -> u16, _) = match order {
            Utf16::LittleEndian => (u16::from_le_bytes, "UTF-16LE"),
            Utf16::BigEndian => (u16::from_be_bytes, "UTF-16BE"),
        };
        let units = bytes[start..].chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
        let text = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        return (text, Some(name));
    }
    let start = if bytes.starts_with(&[0xEF, 0xBB, 0xBF]) { 3 } else { 0 };
    match String::from_utf8(bytes) {
        Ok(mut text) => {
            text.drain(..start);
            (text, None)
        }
        Err(broken) => {
            let character = |&b: &u8| match b {
                0x80..=0x9F => WINDOWS_1252[usize::from(b - 0x80)],
                _ => char::from(b),
            };
            (broken.as_bytes()[start..].iter().map(character).collect(), Some("Windows-1252"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_told_from_the_bytes() {
        let text = "näme,größe\nx,1\n";
        let wide = |order: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(order).collect::<Vec<u8>>();
        let marked = |mark: &[u8], bytes: Vec<u8>| [mark, &bytes].concat();
        let same = |bytes: Vec<u8>, name: Option<&str>| assert_eq!(decode(bytes), (text.to_owned(), name));
        same(text.into(), None);
        same(marked(&[0xEF, 0xBB, 0xBF], text.into()), None);
        same(wide(u16::to_le_bytes), Some("UTF-16LE"));
        same(wide(u16::to_be_bytes), Some("UTF-16BE"));
        same(marked(&[0xFF, 0xFE], wide(u16::to_le_bytes)), Some("UTF-16LE"));
        same(marked(&[0xFE, 0xFF], wide(u16::to_be_bytes)), Some("UTF-16BE"));
        same(text.chars().map(|c| c as u8).collect(), Some("Windows-1252"));
        assert_eq!(decode(vec![b'a', 0x80]).0, "a€");
    }
}
