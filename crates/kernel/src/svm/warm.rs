//! Warm start from the variables of an earlier fit.

use ermine_core::{Context, DatasetRef, Error, Learner, Result, Target};

use super::model::SvmTask;
use super::solve::DualVariable;
use super::{Svm, SvmModel, classify, fit};

impl Svm {
    /// Fits from the variables of an earlier model of the same rows, with another C, width or tolerance: the optimum is
    /// that of [`Learner::fit`] up to the tolerance, in fewer steps when the settings are close. Variables are scaled
    /// with C.
    ///
    /// ```
    /// use ermine_core::{Context, DatasetRef, Features, Learner, MatRef, Target};
    /// use ermine_kernel::svm::Svm;
    ///
    /// let x = [-2.0, -1.0, 0.5, -0.5, 1.0, 2.0];
    /// let names = ["no".to_owned(), "yes".to_owned()];
    /// let data = DatasetRef::new(Features::F64(MatRef::row_major(&x, 6, 1)))
    ///     .with_target(Target::Class { codes: &[0, 0, 0, 1, 1, 1], names: &names });
    /// let first = Svm::default().fit_with(&data, &Context::default())?;
    /// let again = Svm::default().fit_from(&first, &data, &Context::default())?;
    /// assert_eq!(again.machines()[0].iterations, 0);
    /// # Ok::<(), ermine_core::Error>(())
    /// ```
    pub fn fit_from(&self, start: &SvmModel, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<SvmModel> {
        self.check()?;
        data.check(&Self::SPEC)?;
        let start = WarmStart::new(start, data.rows())?;
        match data.y {
            Target::Class { .. } => classify::classify(self, data, Some(&start), cx),
            _ => fit::regress(self, data, Some(&start), cx),
        }
    }
}

/// The coefficients of an earlier model by row.
pub(super) struct WarmStart<'a> {
    model: &'a SvmModel,
    /// The index of the support vector of each row.
    place: Vec<u32>,
}

impl<'a> WarmStart<'a> {
    fn new(model: &'a SvmModel, rows: usize) -> Result<Self> {
        let mut place = vec![u32::MAX; rows];
        for (k, &row) in model.support().iter().enumerate() {
            let cell = place.get_mut(row as usize).ok_or_else(|| {
                Error::Data(format!("the model to start from rests on row {}, and there are {rows} rows", u64::from(row) + 1))
            })?;
            *cell = k as u32;
        }
        Ok(Self { model, place })
    }

    fn coefficient(&self, line: usize, row: usize) -> f64 {
        match self.place[row] {
            u32::MAX => 0.0,
            k => self.model.dual_coef()[(line, k as usize)],
        }
    }

    /// The scaling of the variables of a machine with C.
    fn factor(&self, price: Option<f64>) -> f64 {
        match (price, self.model.machines().first().and_then(|m| m.price)) {
            (Some(new), Some(old)) => new / old,
            _ => 1.0,
        }
    }

    /// Variables of the pair (a, b) of the classes present.
    pub fn pair(
        &self,
        price: Option<f64>,
        present: &[u32],
        (a, b): (usize, usize),
        rows: &[usize],
        variables: &[DualVariable],
    ) -> Result<Vec<f64>> {
        let SvmTask::Classes { present: theirs, .. } = &self.model.says else {
            return Err(Error::Data("the model to start from predicts numbers, and the target has classes".into()));
        };
        if theirs != present {
            return Err(Error::Data(format!(
                "the model to start from tells classes {theirs:?} apart, and these are {present:?}"
            )));
        }
        Ok(feasible(variables, self.factor(price), |v| {
            let line = if v.sign > 0.0 { b - 1 } else { a };
            self.coefficient(line, rows[v.base as usize])
        }))
    }

    /// Variables of a regression.
    pub fn numbers(&self, price: Option<f64>, rows: &[usize], variables: &[DualVariable]) -> Result<Vec<f64>> {
        match self.model.says {
            SvmTask::Numbers => Ok(feasible(variables, self.factor(price), |v| self.coefficient(0, rows[v.base as usize]))),
            SvmTask::Classes { .. } => {
                Err(Error::Data("the model to start from tells classes apart, and the target has numbers".into()))
            }
        }
    }
}

/// Within their bounds and with Σ sα = 0: the larger side is reduced.
fn feasible(variables: &[DualVariable], factor: f64, coefficient: impl Fn(&DualVariable) -> f64) -> Vec<f64> {
    let within = |v: &DualVariable| {
        let a = factor * (v.sign * coefficient(v)).max(0.0);
        // A variable at its bound stays there, despite rounding of the factor.
        if a >= v.bound * (1.0 - 1e-12) { v.bound } else { a }
    };
    let mut alpha: Vec<f64> = variables.iter().map(within).collect();
    let side = |sign: f64| variables.iter().zip(&alpha).filter(|(v, _)| v.sign == sign).map(|(_, a)| a).sum::<f64>();
    let (up, down) = (side(1.0), side(-1.0));
    // Sums that differ by rounding alone are left unchanged, so that variables stay at their bounds.
    if (up - down).abs() > 1e-12 * up.max(down) {
        let (sign, share) = if up > down { (1.0, down / up) } else { (-1.0, up / down) };
        variables.iter().zip(&mut alpha).filter(|(v, _)| v.sign == sign).for_each(|(_, a)| *a *= share);
    }
    alpha
}
