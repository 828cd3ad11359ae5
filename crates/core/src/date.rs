//! ISO 8601 dates and date-times as days since 1970-01-01, and back.

const MICROS_A_DAY: f64 = 86_400e6;

/// Days since 1970-01-01 of a proleptic Gregorian date (Howard Hinnant, "chrono-compatible low-level date algorithms").
pub fn days_from_civil(year: i64, month: u32, day: u32) -> i64 {
    let y = if month <= 2 { year - 1 } else { year };
    let era = y.div_euclid(400);
    let of_era = y.rem_euclid(400);
    let of_year = (153 * ((i64::from(month) + 9) % 12) + 2) / 5 + i64::from(day) - 1;
    let day_of_era = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
    era * 146_097 + day_of_era - 719_468
}

/// Year, month and day of a day count: the inverse of [`days_from_civil`].
fn civil_from_days(days: i64) -> (i64, u32, u32) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let day_of_era = z.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = (of_year - (153 * shifted + 2) / 5 + 1) as u32;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 } as u32;
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

fn days_in_month(year: i64, month: u32) -> u32 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Exactly `count` digits at the front.
fn number(text: &mut &[u8], count: usize) -> Option<u32> {
    let (head, rest) = text.split_at_checked(count)?;
    *text = rest;
    head.iter().try_fold(0, |n, b| b.is_ascii_digit().then(|| n * 10 + u32::from(b - b'0')))
}

fn skip(text: &mut &[u8], byte: u8) -> Option<()> {
    *text = text.strip_prefix(&[byte])?;
    Some(())
}

/// Days since 1970-01-01 of `YYYY-MM-DD`, or of `YYYY-MM-DD` `T` or blank `hh:mm[:ss[.fraction]]` with `Z`, `±hh:mm`,
/// `±hhmm` or nothing after it (taken as UTC). `None` for all else, impossible days included.
pub fn parse(text: &[u8]) -> Option<f64> {
    let rest = &mut &*text;
    let year = i64::from(number(rest, 4)?);
    skip(rest, b'-')?;
    let month = number(rest, 2)?;
    skip(rest, b'-')?;
    let day = number(rest, 2)?;
    if !(1..=12).contains(&month) || day < 1 || day > days_in_month(year, month) {
        return None;
    }
    let days = days_from_civil(year, month, day) as f64;
    if rest.is_empty() {
        return Some(days);
    }
    if skip(rest, b'T').is_none() && skip(rest, b't').is_none() {
        skip(rest, b' ')?;
    }
    let hour = number(rest, 2)?;
    skip(rest, b':')?;
    let minute = number(rest, 2)?;
    let (mut second, mut micros) = (0, 0u64);
    if skip(rest, b':').is_some() {
        second = number(rest, 2)?;
        if skip(rest, b'.').is_some() || skip(rest, b',').is_some() {
            let count = rest.iter().take_while(|b| b.is_ascii_digit()).count();
            if count == 0 {
                return None;
            }
            let (fraction, after) = rest.split_at(count);
            *rest = after;
            micros = (0..6).fold(0, |n, i| n * 10 + u64::from(fraction.get(i).map_or(0, |b| b - b'0')));
        }
    }
    // 24:00 and the leap second 60 are valid ISO 8601.
    if hour > 24 || minute > 59 || second > 60 || (hour == 24 && (minute, second, micros) != (0, 0, 0)) {
        return None;
    }
    let mut seconds = i64::from(hour) * 3600 + i64::from(minute) * 60 + i64::from(second);
    match rest.first() {
        None => {}
        Some(b'Z' | b'z') => skip(rest, rest[0])?,
        Some(sign @ (b'+' | b'-')) => {
            let sign = if *sign == b'+' { 1 } else { -1 };
            *rest = &rest[1..];
            let hours = i64::from(number(rest, 2)?);
            let _ = skip(rest, b':');
            let minutes = if rest.is_empty() { 0 } else { i64::from(number(rest, 2)?) };
            if hours > 23 || minutes > 59 {
                return None;
            }
            seconds -= sign * (hours * 3600 + minutes * 60);
        }
        Some(_) => return None,
    }
    rest.is_empty().then(|| days + (seconds * 1_000_000 + micros as i64) as f64 / MICROS_A_DAY)
}

/// Days since 1970-01-01 as ISO 8601: a date for whole days, else a date-time in UTC to the microsecond. Days outside
/// the years 0 to 9999 have no four-digit year and are written as the number.
pub fn format(days: f64) -> String {
    let micros = (days * MICROS_A_DAY).round();
    if !(micros.is_finite() && (-719_528.0..2_932_897.0).contains(&days)) {
        return days.to_string();
    }
    let micros = micros as i64;
    let day = micros.div_euclid(MICROS_A_DAY as i64);
    let within = micros.rem_euclid(MICROS_A_DAY as i64);
    let (y, m, d) = civil_from_days(day);
    if within == 0 {
        return format!("{y:04}-{m:02}-{d:02}");
    }
    let (seconds, micros) = (within / 1_000_000, within % 1_000_000);
    let time = format!("{y:04}-{m:02}-{d:02}T{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    match micros {
        0 => time,
        _ => format!("{time}.{}", format!("{micros:06}").trim_end_matches('0')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_days() {
        assert_eq!(parse(b"1970-01-01"), Some(0.0));
        assert_eq!(parse(b"2000-03-01"), Some(11_017.0));
        assert_eq!(parse(b"1969-12-31"), Some(-1.0));
        assert_eq!(parse(b"0001-01-01"), Some(-719_162.0));
        assert_eq!(parse(b"2024-02-29"), Some(19_782.0));
        assert_eq!(parse(b"1970-01-02T12:00"), Some(1.5));
        assert_eq!(parse(b"1970-01-01 06:00:00.000"), Some(0.25));
        assert_eq!(parse(b"1970-01-01T06:00:00+06:00"), Some(0.0));
        assert_eq!(parse(b"1970-01-01T00:00:00-1200"), Some(0.5));
        assert_eq!(parse(b"1970-01-01T24:00:00Z"), Some(1.0));
        for bad in [
            "2023-02-29",
            "2023-13-01",
            "2023-00-01",
            "2023-01-00",
            "2023-1-1",
            "20230101",
            "2023-01-01T",
            "2023-01-01T25:00",
            "2023-01-01T10:60",
            "2023-01-01T10:00:00.",
            "2023-01-01T10:00x",
            "",
            "2023",
            "2023-01-01T24:01",
            "2023-01-01T10:00+1",
        ] {
            assert_eq!(parse(bad.as_bytes()), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn written_times_read_back(day in -700_000i64..2_900_000, micros in 0i64..86_400_000_000) {
            let whole = day as f64;
            prop_assert_eq!(parse(format(whole).as_bytes()), Some(whole));
            let at = whole + micros as f64 / MICROS_A_DAY;
            let again = parse(format(at).as_bytes()).unwrap();
            // The text has microseconds; near 1970 an f64 is many times finer.
            prop_assert!((again - at).abs() <= 0.5001 / MICROS_A_DAY + at.abs() * f64::EPSILON);
        }
    }
}
