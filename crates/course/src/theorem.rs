//! Theorems, their parameters, and what they are run on.

use ermine_core::{Error, Result, RngStream};

use crate::check::TheoremCheck;
use crate::data::TheoremData;

/// A chapter with its theorems.
#[derive(Debug, Clone, Copy)]
pub struct Chapter {
    /// Its number.
    pub number: u32,
    /// Its title.
    pub title: &'static str,
    /// The theorems.
    pub theorems: &'static [Theorem],
}

/// A theorem that can be run.
#[derive(Debug, Clone, Copy)]
pub struct Theorem {
    /// `T3.10`.
    pub id: &'static str,
    /// What it says.
    pub statement: &'static str,
    /// The sections of the lecture notes it is from: `000 L1; 001 §2.1`.
    pub notes: &'static str,
    /// What of the library it uses.
    pub uses: &'static str,
    /// Its parameters.
    pub params: &'static [TheoremParam],
    /// Whether it can be run on a table of the reader's.
    pub takes_data: bool,
    /// The function.
    pub(crate) function: fn(&TheoremRun<'_>) -> Result<TheoremCheck>,
}

/// A number that a theorem can be given.
#[derive(Debug, Clone, Copy)]
pub struct TheoremParam {
    /// Its name.
    pub name: &'static str,
    /// Its value when none is given.
    pub default: f64,
    /// The least value.
    pub low: f64,
    /// The largest value.
    pub high: f64,
    /// Whether it is a whole number.
    pub whole: bool,
    /// What it is.
    pub meaning: &'static str,
}

/// A whole number from `low` to `high`.
pub(crate) const fn whole(name: &'static str, default: u32, low: u32, high: u32, meaning: &'static str) -> TheoremParam {
    TheoremParam { name, default: default as f64, low: low as f64, high: high as f64, whole: true, meaning }
}

/// A number from `low` to `high`.
pub(crate) const fn real(name: &'static str, default: f64, low: f64, high: f64, meaning: &'static str) -> TheoremParam {
    TheoremParam { name, default, low, high, whole: false, meaning }
}

/// What a theorem is run on: settings, a seed, and data of the reader's.
#[derive(Debug, Clone, Default)]
pub struct TheoremInput {
    settings: Vec<(String, f64)>,
    seed: u64,
    data: Option<TheoremData>,
}

impl TheoremInput {
    /// The defaults, seed 0.
    pub fn new() -> Self {
        Self::default()
    }

    /// With a parameter.
    pub fn set(mut self, name: &str, value: f64) -> Self {
        self.settings.retain(|(n, _)| n != name);
        self.settings.push((name.to_owned(), value));
        self
    }

    /// With a seed for whatever is drawn.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// With data in place of synthetic ones.
    pub fn data(mut self, data: TheoremData) -> Self {
        self.data = Some(data);
        self
    }
}

/// A checked input beside its theorem.
pub(crate) struct TheoremRun<'a> {
    theorem: &'a Theorem,
    input: &'a TheoremInput,
}

impl TheoremRun<'_> {
    pub fn real(&self, name: &str) -> f64 {
        let default = || self.theorem.params.iter().find(|p| p.name == name).map(|p| p.default);
        let setting = self.input.settings.iter().find(|(n, _)| n == name).map(|(_, v)| *v);
        setting.or_else(default).unwrap_or_else(|| panic!("{} declares no parameter {name}", self.theorem.id))
    }

    pub fn whole(&self, name: &str) -> usize {
        self.real(name) as usize
    }

    pub fn seed(&self) -> u64 {
        self.input.seed
    }

    pub fn stream(&self, index: u64) -> RngStream {
        RngStream::new(self.input.seed, "course", index)
    }

    pub fn given(&self) -> Option<&TheoremData> {
        self.input.data.as_ref()
    }
}

impl Theorem {
    /// In the order of a table: identifier, statement, sections of the notes, what it uses, parameters, whether it takes data, function.
    pub(crate) const fn new(
        id: &'static str,
        statement: &'static str,
        notes: &'static str,
        uses: &'static str,
        params: &'static [TheoremParam],
        takes_data: bool,
        function: fn(&TheoremRun<'_>) -> Result<TheoremCheck>,
    ) -> Self {
        Self { id, statement, notes, uses, params, takes_data, function }
    }

    /// The chapter that its identifier names.
    pub fn chapter(&self) -> u32 {
        self.id[1..].split('.').next().and_then(|c| c.parse().ok()).unwrap_or(0)
    }

    /// Checks hypotheses, computes both sides and compares them.
    pub fn run(&self, input: &TheoremInput) -> Result<TheoremCheck> {
        for (name, value) in &input.settings {
            let Some(p) = self.params.iter().find(|p| p.name == name) else {
                return Err(Error::unknown(format!("parameter of {}", self.id), name, self.params.iter().map(|p| p.name)));
            };
            let kind = if p.whole { "a whole number" } else { "a number" };
            if !(p.low..=p.high).contains(value) || (p.whole && value.fract() != 0.0) {
                return Err(Error::parameter(
                    self.id,
                    name,
                    value,
                    format!("it is {kind} from {} to {}: {}", p.low, p.high, p.meaning),
                ));
            }
        }
        if input.data.is_some() && !self.takes_data {
            return Err(Error::Data(format!(
                "{} is about a law or an algorithm and takes no table; leave the data out",
                self.id
            )));
        }
        let mut check = (self.function)(&TheoremRun { theorem: self, input })?;
        check.id = self.id;
        check.statement = self.statement;
        Ok(check)
    }
}
