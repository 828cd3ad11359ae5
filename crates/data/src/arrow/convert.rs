//! Arrow arrays to column chunks.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType, DurationSecondType, Float16Type, Float32Type,
    Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, Time32MillisecondType, Time32SecondType, Time64MicrosecondType,
    Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};
use ermine_core::{ColumnKind, Error, Result};

use crate::column_chunk::{CodedStrings, ColumnChunk, ParseAs};
use crate::csv::{is_rounded, parse_number};
use ermine_core::date;

const SECONDS_A_DAY: f64 = 86_400.0;

/// How a column of this type is read, or `None` when it is nested, binary or otherwise no feature.
///
/// Numbers, decimals, times of day and durations (both in seconds) are numbers; dates and time stamps are days since
/// 1970-01-01; text, booleans and dictionaries of text are strings.
pub(super) fn plan(data_type: &DataType) -> Option<ParseAs> {
    use DataType as T;
    match data_type {
        T::Dictionary(_, values) => plan(values),
        T::Utf8 | T::LargeUtf8 | T::Utf8View | T::Boolean => Some(ParseAs::Strings),
        T::Date32 | T::Date64 | T::Timestamp(..) => Some(ParseAs::Date),
        T::Null | T::Time32(_) | T::Time64(_) | T::Duration(_) => Some(ParseAs::Number),
        T::Decimal32(..) | T::Decimal64(..) | T::Decimal128(..) | T::Decimal256(..) => Some(ParseAs::Number),
        t if t.is_numeric() => Some(ParseAs::Number),
        _ => None,
    }
}

/// How a column of this type is read when `asked` to be of a kind.
pub(super) fn plan_as(data_type: &DataType, asked: Option<ColumnKind>) -> Option<ParseAs> {
    let natural = plan(data_type)?;
    Some(match asked {
        None | Some(ColumnKind::Identifier) => natural,
        Some(ColumnKind::Number) => ParseAs::Number,
        Some(ColumnKind::Date) => ParseAs::Date,
        Some(ColumnKind::Category | ColumnKind::Text) => ParseAs::Strings,
    })
}

/// The cells of an array according to `plan`; `first` is the row of the first cell, for messages.
pub(super) fn part(name: &str, array: &ArrayRef, plan: ParseAs, first: usize) -> Result<ColumnChunk> {
    match plan {
        ParseAs::Skip => Ok(ColumnChunk::Skipped),
        ParseAs::Strings => strings(array).map(ColumnChunk::Strings).ok_or_else(|| unreadable(name, array.data_type())),
        ParseAs::Number | ParseAs::Date => {
            if let Some(values) = numbers(array) {
                return Ok(ColumnChunk::Numbers(values, rounded(array)));
            }
            let parse = if plan == ParseAs::Date { date::parse } else { parse_number };
            let what = if plan == ParseAs::Date { "an ISO 8601 date" } else { "a number" };
            let cells = strings(array).ok_or_else(|| unreadable(name, array.data_type()))?;
            let known: Vec<Option<f64>> = cells
                .names
                .iter()
                .map(|n| n.trim_ascii())
                .map(|n| if n.is_empty() { Some(f64::NAN) } else { parse(n) })
                .collect();
            let value = |(i, &code): (usize, &u32)| match known.get(code as usize) {
                None => Ok(f64::NAN),
                Some(Some(v)) => Ok(*v),
                Some(None) => {
                    let text = String::from_utf8_lossy(cells.names.get(code));
                    let message = format!("\"{text}\" is not {what}");
                    Err(Error::Row { place: format!("column \"{name}\""), row: first + i, message })
                }
            };
            let values: Vec<f64> = cells.codes.iter().enumerate().map(value).collect::<Result<_>>()?;
            let rounded =
                |(code, v): (&u32, &f64)| plan == ParseAs::Number && !v.is_nan() && is_rounded(cells.names.get(*code), *v);
            let rounded = cells.codes.iter().zip(&values).filter(|c| rounded(*c)).count() as u64;
            Ok(ColumnChunk::Numbers(values, rounded))
        }
    }
}

/// The error for a column that cannot be read.
pub(super) fn unreadable(name: &str, data_type: &DataType) -> Error {
    let sort = if data_type.is_nested() { "nested" } else { "not a table of numbers, text or dates" };
    Error::Data(format!(
        "column \"{name}\" has the Arrow type {data_type}, which is {sort} and is not read; leave it out (--drop)"
    ))
}

fn each<T: ArrowPrimitiveType>(array: &dyn Array, value: impl Fn(T::Native) -> f64) -> Vec<f64> {
    let array = array.as_primitive::<T>();
    match array.nulls() {
        None => array.values().iter().map(|&v| value(v)).collect(),
        Some(valid) => {
            array.values().iter().enumerate().map(|(i, &v)| if valid.is_valid(i) { value(v) } else { f64::NAN }).collect()
        }
    }
}

/// Units per second.
fn a_second(unit: &TimeUnit) -> f64 {
    match unit {
        TimeUnit::Second => 1.0,
        TimeUnit::Millisecond => 1e3,
        TimeUnit::Microsecond => 1e6,
        TimeUnit::Nanosecond => 1e9,
    }
}

/// A decimal, correctly rounded: by one exact division where that suffices, else through its digits.
fn decimal(whole: i128, scale: i8) -> f64 {
    if whole.unsigned_abs() <= 1 << 53 && (0..=22).contains(&scale) {
        return whole as f64 / 10f64.powi(i32::from(scale));
    }
    decimal_text(&whole.to_string(), scale)
}

fn decimal_text(whole: &str, scale: i8) -> f64 {
    format!("{whole}e{}", -i32::from(scale)).parse().unwrap_or(f64::NAN)
}

/// The cells as numbers, NaN where missing, or `None` for text.
fn numbers(array: &ArrayRef) -> Option<Vec<f64>> {
    use DataType as T;
    Some(match array.data_type() {
        T::Null => vec![f64::NAN; array.len()],
        T::Boolean => array.as_boolean().iter().map(|v| v.map_or(f64::NAN, |v| f64::from(u8::from(v)))).collect(),
        T::Int8 => each::<Int8Type>(array, f64::from),
        T::Int16 => each::<Int16Type>(array, f64::from),
        T::Int32 => each::<Int32Type>(array, f64::from),
        T::Int64 => each::<Int64Type>(array, |v| v as f64),
        T::UInt8 => each::<UInt8Type>(array, f64::from),
        T::UInt16 => each::<UInt16Type>(array, f64::from),
        T::UInt32 => each::<UInt32Type>(array, f64::from),
        T::UInt64 => each::<UInt64Type>(array, |v| v as f64),
        T::Float16 => each::<Float16Type>(array, f64::from),
        T::Float32 => each::<Float32Type>(array, f64::from),
        T::Float64 => each::<Float64Type>(array, |v| v),
        T::Decimal32(_, scale) => each::<Decimal32Type>(array, |v| decimal(v.into(), *scale)),
        T::Decimal64(_, scale) => each::<Decimal64Type>(array, |v| decimal(v.into(), *scale)),
        T::Decimal128(_, scale) => each::<Decimal128Type>(array, |v| decimal(v, *scale)),
        T::Decimal256(_, scale) => each::<Decimal256Type>(array, |v| decimal_text(&v.to_string(), *scale)),
        T::Date32 => each::<Date32Type>(array, f64::from),
        T::Date64 => each::<Date64Type>(array, |v| v as f64 / (SECONDS_A_DAY * 1e3)),
        T::Timestamp(unit, _) => {
            let day = SECONDS_A_DAY * a_second(unit);
            let days = |v: i64| v as f64 / day;
            match unit {
                TimeUnit::Second => each::<TimestampSecondType>(array, days),
                TimeUnit::Millisecond => each::<TimestampMillisecondType>(array, days),
                TimeUnit::Microsecond => each::<TimestampMicrosecondType>(array, days),
                TimeUnit::Nanosecond => each::<TimestampNanosecondType>(array, days),
            }
        }
        T::Time32(unit) => {
            let seconds = |v: i32| f64::from(v) / a_second(unit);
            match unit {
                TimeUnit::Second => each::<Time32SecondType>(array, seconds),
                _ => each::<Time32MillisecondType>(array, seconds),
            }
        }
        T::Time64(unit) => {
            let seconds = |v: i64| v as f64 / a_second(unit);
            match unit {
                TimeUnit::Microsecond => each::<Time64MicrosecondType>(array, seconds),
                _ => each::<Time64NanosecondType>(array, seconds),
            }
        }
        T::Duration(unit) => {
            let seconds = |v: i64| v as f64 / a_second(unit);
            match unit {
                TimeUnit::Second => each::<DurationSecondType>(array, seconds),
                TimeUnit::Millisecond => each::<DurationMillisecondType>(array, seconds),
                TimeUnit::Microsecond => each::<DurationMicrosecondType>(array, seconds),
                TimeUnit::Nanosecond => each::<DurationNanosecondType>(array, seconds),
            }
        }
        T::Dictionary(..) => {
            let array = array.as_any_dictionary();
            let values = numbers(array.values())?;
            if values.is_empty() {
                return Some(vec![f64::NAN; array.len()]);
            }
            let value = |(i, key): (usize, usize)| if array.is_null(i) { f64::NAN } else { values[key] };
            array.normalized_keys().into_iter().enumerate().map(value).collect()
        }
        _ => return None,
    })
}

/// The number of 64-bit integers that an f64 does not represent exactly.
fn rounded(array: &ArrayRef) -> u64 {
    let count = match array.data_type() {
        DataType::Int64 => {
            array.as_primitive::<Int64Type>().iter().flatten().filter(|v| *v as f64 as i128 != i128::from(*v)).count()
        }
        DataType::UInt64 => {
            array.as_primitive::<UInt64Type>().iter().flatten().filter(|v| *v as f64 as i128 != i128::from(*v)).count()
        }
        _ => 0,
    };
    count as u64
}

/// The cells as strings. Numbers are written as `Display` writes them, integers without point; dates as ISO 8601.
fn strings(array: &ArrayRef) -> Option<CodedStrings> {
    use DataType as T;
    let mut out = CodedStrings::default();
    let mut put = |cell: Option<&str>| match cell {
        Some(text) => {
            out.push(text.as_bytes());
        }
        None => out.push_missing(),
    };
    match array.data_type() {
        T::Utf8 => array.as_string::<i32>().iter().for_each(put),
        T::LargeUtf8 => array.as_string::<i64>().iter().for_each(put),
        T::Utf8View => array.as_string_view().iter().for_each(put),
        T::Boolean => array.as_boolean().iter().for_each(|v| put(v.map(|v| if v { "true" } else { "false" }))),
        T::Int64 => array.as_primitive::<Int64Type>().iter().for_each(|v| put(v.map(|v| v.to_string()).as_deref())),
        T::UInt64 => array.as_primitive::<UInt64Type>().iter().for_each(|v| put(v.map(|v| v.to_string()).as_deref())),
        T::Dictionary(..) => return dictionary(array),
        t => {
            let as_date = plan(t) == Some(ParseAs::Date);
            let text = |v: &f64| if as_date { date::format(*v) } else { v.to_string() };
            numbers(array)?.iter().for_each(|v| put((!v.is_nan()).then(|| text(v)).as_deref()));
        }
    }
    Some(out)
}

/// A dictionary's values are looked up once each; values that no key uses are dropped.
fn dictionary(array: &ArrayRef) -> Option<CodedStrings> {
    let array = array.as_any_dictionary();
    let values = strings(array.values())?;
    let mut out = CodedStrings::default();
    if values.codes.is_empty() {
        (0..array.len()).for_each(|_| out.push_missing());
        return Some(out);
    }
    for (i, key) in array.normalized_keys().into_iter().enumerate() {
        match values.codes[key] {
            _ if array.is_null(i) => out.push_missing(),
            ermine_core::MISSING_CODE => out.push_missing(),
            code => {
                out.push(values.names.get(code));
            }
        }
    }
    Some(out)
}
