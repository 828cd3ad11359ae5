//! Kernels as text: `rbf(0.5) + 0.1 * linear`.
//!
//! ```text
//! sum     = product { "+" product }
//! product = factor { "*" factor }
//! factor  = atom { "^" whole | "[" columns "]" }
//! atom    = number | name [ "(" [ argument { "," argument } ] ")" ] | "exp" "(" sum ")" | "(" sum ")"
//! argument = [ name "=" ] ( number | "scale" | "auto" )
//! columns = whole [ ":" whole ] { "," whole [ ":" whole ] }          the end of a range is not in it
//! ```

use std::fmt;
use std::str::FromStr;

use ermine_core::Error;

use super::{Gamma, Kernel, KernelFactor};

const NAMES: [&str; 9] = ["linear", "poly", "rbf", "gaussian", "laplacian", "sigmoid", "cosine", "precomputed", "exp"];

impl fmt::Display for Gamma {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scale => f.write_str("scale"),
            Self::Auto => f.write_str("auto"),
            Self::Value(v) => write!(f, "{v}"),
        }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A sum is in parentheses wherever it is not the whole.
        let inner = |k: &Kernel| match k {
            Self::Sum(..) => format!("({k})"),
            _ => format!("{k}"),
        };
        // The base of a power or of a choice of columns must be an atom.
        let tight = |k: &Kernel| match k {
            Self::Sum(..) | Self::Product(..) | Self::Times(..) | Self::Constant(_) => format!("({k})"),
            _ => format!("{k}"),
        };
        match self {
            Self::Constant(c) => write!(f, "{c}"),
            Self::Linear => f.write_str("linear"),
            Self::Polynomial { gamma, coef0, degree } => write!(f, "poly(degree={degree}, gamma={gamma}, coef0={coef0})"),
            Self::Gaussian { gamma } => write!(f, "rbf({gamma})"),
            Self::Laplacian { gamma } => write!(f, "laplacian({gamma})"),
            Self::Sigmoid { gamma, coef0 } => write!(f, "sigmoid(gamma={gamma}, coef0={coef0})"),
            Self::Bilinear(a) => write!(f, "bilinear({} x {} matrix)", a.rows(), a.cols()),
            Self::Precomputed => f.write_str("precomputed"),
            Self::Sum(a, b) => write!(f, "{a} + {b}"),
            Self::Product(a, b) => write!(f, "{} * {}", inner(a), inner(b)),
            Self::Times(c, k) => write!(f, "{c} * {}", inner(k)),
            Self::Exp(k) => write!(f, "exp({k})"),
            Self::Series(c, k) => match power_of(c) {
                Some(p) => write!(f, "{}^{p}", tight(k)),
                None => {
                    let terms: Vec<String> = c
                        .iter()
                        .enumerate()
                        .filter(|(_, c)| **c != 0.0)
                        .map(|(i, c)| if i == 0 { format!("{c}") } else { format!("{c} * {}^{i}", tight(k)) })
                        .collect();
                    write!(f, "({})", if terms.is_empty() { "0".into() } else { terms.join(" + ") })
                }
            },
            Self::Scaled(KernelFactor::InverseNorm, k) if **k == Self::Linear => f.write_str("cosine"),
            Self::Scaled(function, k) => {
                let name = match function {
                    KernelFactor::InverseNorm => "1/|x|",
                    KernelFactor::Affine { .. } => "(w.x + b)",
                    KernelFactor::User(_) => "f",
                };
                write!(f, "{} scaled by {name}", inner(k))
            }
            Self::After(_, k) => write!(f, "{} after a map", inner(k)),
            Self::On(columns, k) => {
                let columns: Vec<String> = columns.iter().map(u32::to_string).collect();
                write!(f, "{}[{}]", tight(k), columns.join(","))
            }
            Self::User(_) => f.write_str("user"),
        }
    }
}

/// p, if the polynomial is the p-th power.
fn power_of(c: &[f64]) -> Option<usize> {
    let (last, rest) = c.split_last()?;
    (*last == 1.0 && !rest.is_empty() && rest.iter().all(|&c| c == 0.0)).then_some(rest.len())
}

impl FromStr for Kernel {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let mut parser = KernelParser { text, at: 0 };
        let kernel = parser.sum(0)?;
        parser.space();
        match parser.rest().chars().next() {
            None => Ok(kernel),
            Some(c) => Err(parser.refuse(&format!("'{c}' where +, *, ^, [ or the end could stand"))),
        }
    }
}

/// Depth of nested parentheses; deeper ones would only exhaust the stack.
const DEPTH: usize = 64;

struct KernelParser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> KernelParser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn refuse(&self, what: &str) -> Error {
        let place = self.text[..self.at].chars().count() + 1;
        Error::Data(format!(
            "kernel \"{}\": at character {place}: {what}. A kernel is written like \"rbf(0.5) + 0.1 * linear\" or \
             \"poly(degree=3, coef0=1)\"; the names are {}",
            self.text,
            NAMES.join(", ")
        ))
    }

    /// Takes the character if it is next.
    fn take(&mut self, c: char) -> bool {
        self.space();
        let matches = self.rest().starts_with(c);
        if matches {
            self.at += c.len_utf8();
        }
        matches
    }

    fn expect(&mut self, c: char) -> Result<(), Error> {
        if self.take(c) {
            return Ok(());
        }
        Err(self.refuse(&match self.rest().chars().next() {
            Some(found) => format!("'{found}' where '{c}' should stand"),
            None => format!("the text ends where '{c}' should stand"),
        }))
    }

    fn sum(&mut self, depth: usize) -> Result<Kernel, Error> {
        if depth > DEPTH {
            return Err(self.refuse(&format!("more than {DEPTH} parentheses within each other")));
        }
        let mut sum = self.product(depth)?;
        while self.take('+') {
            sum = sum + self.product(depth)?;
        }
        Ok(sum)
    }

    fn product(&mut self, depth: usize) -> Result<Kernel, Error> {
        let mut product = self.factor(depth)?;
        while self.take('*') {
            let factor = self.factor(depth)?;
            product = match (product, factor) {
                (Kernel::Constant(a), Kernel::Constant(b)) => Kernel::Constant(a * b),
                (Kernel::Constant(c), k) | (k, Kernel::Constant(c)) => c * k,
                (a, b) => a * b,
            };
        }
        Ok(product)
    }

    fn factor(&mut self, depth: usize) -> Result<Kernel, Error> {
        let mut kernel = self.base_kernel(depth)?;
        loop {
            if self.take('^') {
                let p = self.whole()?;
                if p == 0 || p > 100 {
                    return Err(self.refuse(&format!("the power is {p}, and it must be from 1 to 100")));
                }
                let mut coefficients = vec![0.0; p as usize];
                coefficients.push(1.0);
                kernel = kernel.polynomial(&coefficients);
            } else if self.take('[') {
                kernel = kernel.on(&self.columns()?);
            } else {
                return Ok(kernel);
            }
        }
    }

    fn columns(&mut self) -> Result<Vec<u32>, Error> {
        let mut columns = Vec::new();
        loop {
            let first = self.whole()?;
            let end = if self.take(':') { self.whole()? } else { first + 1 };
            if end <= first || end - first > 1 << 20 {
                return Err(self.refuse(&format!("the columns from {first} up to but not with {end} are none, or too many")));
            }
            columns.extend(first..end);
            if self.take(']') {
                return Ok(columns);
            }
            self.expect(',')?;
        }
    }

    fn whole(&mut self) -> Result<u32, Error> {
        self.space();
        let digits = self.rest().find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest().len());
        match self.rest()[..digits].parse::<u32>() {
            Ok(v) if v < u32::MAX => {
                self.at += digits;
                Ok(v)
            }
            _ => Err(self.refuse("a whole number should stand here")),
        }
    }

    fn number(&mut self) -> Option<f64> {
        self.space();
        let rest = self.rest();
        // A sign inside a number follows its e.
        let end = (0..rest.len())
            .find(|&i| {
                let c = rest.as_bytes()[i];
                let sign = matches!(c, b'+' | b'-') && (i == 0 || matches!(rest.as_bytes()[i - 1], b'e' | b'E'));
                !(c.is_ascii_digit() || matches!(c, b'.' | b'e' | b'E') || sign)
            })
            .unwrap_or(rest.len());
        let value = rest[..end].parse::<f64>().ok().filter(|v| v.is_finite())?;
        self.at += end;
        Some(value)
    }

    fn name(&mut self) -> &'a str {
        self.space();
        let end = self.rest().find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(self.rest().len());
        let name = &self.rest()[..end];
        self.at += end;
        name
    }

    fn base_kernel(&mut self, depth: usize) -> Result<Kernel, Error> {
        self.space();
        if self.take('(') {
            let kernel = self.sum(depth + 1)?;
            self.expect(')')?;
            return Ok(kernel);
        }
        let starts_number = self.rest().starts_with(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
        if starts_number {
            return match self.number() {
                Some(c) => Ok(Kernel::Constant(c)),
                None => Err(self.refuse("a number should stand here")),
            };
        }
        let start = self.at;
        let name = self.name();
        if name == "exp" {
            self.expect('(')?;
            let kernel = self.sum(depth + 1)?;
            self.expect(')')?;
            return Ok(kernel.exp());
        }
        let mut take = |names: &[&'static str]| self.arguments(name, names);
        match name {
            "linear" => take(&[]).map(|_| Kernel::Linear),
            "cosine" => take(&[]).map(|_| Kernel::cosine()),
            "precomputed" => take(&[]).map(|_| Kernel::Precomputed),
            "rbf" | "gaussian" => take(&["gamma"]).map(|a| Kernel::gaussian(a[0].unwrap_or(Gamma::Scale))),
            "laplacian" => take(&["gamma"]).map(|a| Kernel::laplacian(a[0].unwrap_or(Gamma::Scale))),
            "sigmoid" => {
                let a = take(&["gamma", "coef0"])?;
                Ok(Kernel::sigmoid(a[0].unwrap_or(Gamma::Scale), self.number_arg("coef0", a[1], 0.0)?))
            }
            "poly" | "polynomial" => {
                let a = take(&["degree", "coef0", "gamma"])?;
                let degree = self.number_arg("degree", a[0], 3.0)?;
                if !(1.0..=100.0).contains(&degree) || degree.fract() != 0.0 {
                    return Err(self.refuse(&format!("the degree is {degree}, and it must be a whole number from 1 to 100")));
                }
                let coef0 = self.number_arg("coef0", a[1], 0.0)?;
                Ok(Kernel::Polynomial { gamma: a[2].unwrap_or(Gamma::Scale), coef0, degree: degree as u32 })
            }
            _ => {
                self.at = start;
                Err(match name {
                    "" => self.refuse("a kernel should stand here"),
                    _ => Error::unknown("kernel", name, NAMES),
                })
            }
        }
    }

    /// An argument that must be a number.
    fn number_arg(&self, name: &str, value: Option<Gamma>, default: f64) -> Result<f64, Error> {
        match value {
            None => Ok(default),
            Some(Gamma::Value(v)) => Ok(v),
            Some(rule) => Err(self.refuse(&format!("{name} is \"{rule}\", and it must be a number"))),
        }
    }

    /// The arguments of a kernel, by place or by name.
    fn arguments(&mut self, of: &str, names: &[&'static str]) -> Result<Vec<Option<Gamma>>, Error> {
        let mut values = vec![None; names.len()];
        if !self.take('(') || self.take(')') {
            return Ok(values);
        }
        for place in 0.. {
            self.space();
            let start = self.at;
            let word = if self.rest().starts_with(|c: char| c.is_ascii_alphabetic()) { self.name() } else { "" };
            let slot = if !word.is_empty() && self.take('=') {
                match names.iter().position(|n| *n == word) {
                    Some(slot) => slot,
                    None => return Err(Error::unknown(format!("argument of {of}"), word, names.iter().copied())),
                }
            } else {
                self.at = start;
                place
            };
            if slot >= names.len() {
                return Err(self.refuse(&match names.len() {
                    0 => format!("{of} takes no arguments"),
                    n => format!("{of} takes at most {n} arguments: {}", names.join(", ")),
                }));
            }
            if values[slot].is_some() {
                return Err(self.refuse(&format!("{} of {of} is given twice", names[slot])));
            }
            self.space();
            let rest = self.rest();
            values[slot] = Some(if rest.starts_with("scale") {
                self.at += 5;
                Gamma::Scale
            } else if rest.starts_with("auto") {
                self.at += 4;
                Gamma::Auto
            } else {
                Gamma::Value(self.number().ok_or_else(|| self.refuse(&format!("{} should be a number", names[slot])))?)
            });
            if self.take(')') {
                break;
            }
            self.expect(',')?;
        }
        Ok(values)
    }
}
