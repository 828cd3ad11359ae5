//! A user-defined function as a step of a pipeline.

use std::sync::Arc;

use ermine_core::*;
use serde_json::{Value, json};

use super::apply;

/// Reads the cells of a row and writes the new ones.
type RowFunction = dyn Fn(&[f64], &mut [f64]) + Send + Sync;

/// New columns by a function of each row, in front of any learner.
///
/// **Computes** what `f` writes: it gets the cells of a row and a slice with a place for each new column. Rows are
/// processed in parallel, so `f` is called from several threads. Missing cells are NaN.
///
/// **Use it** from Rust, in a pipeline, for maps that are not in the catalogue.
///
/// ```
/// use ermine_core::{AnyLearner, Context, DatasetRef, Features, MatRef};
/// use ermine_prep::features::Function;
///
/// let sides = [3.0, 4.0, 5.0, 12.0];
/// let x = Features::F64(MatRef::row_major(&sides, 2, 2));
/// let longest = Function::new("longest side", ["hypotenuse"], |cells, new| new[0] = cells[0].hypot(cells[1]));
/// let model = longest.fit_any(&DatasetRef::new(x), &Context::default())?;
/// assert_eq!(model.as_transformer().unwrap().transform(&x)?.as_slice(), [5.0, 13.0]);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// **Cost**: that of `f`. **It does not** go into a model file, since code does not: saving is an error that says what
/// to do instead.
#[derive(Clone)]
pub struct Function {
    name: Arc<str>,
    columns: Arc<[String]>,
    f: Arc<RowFunction>,
}

impl Function {
    /// A map called `name` that computes `columns` by `f`.
    pub fn new<C: Into<String>>(
        name: &str,
        columns: impl IntoIterator<Item = C>,
        f: impl Fn(&[f64], &mut [f64]) + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), columns: columns.into_iter().map(Into::into).collect(), f: Arc::new(f) }
    }

    const SPEC: Spec = Spec {
        name: "function",
        summary: "New columns by a function of each row",
        objective: "f(x)",
        notes: "From Rust only. It is no part of a model file, since code is not.",
        reference: "",
        family: Family::Preparation,
        tasks: &[Task::Preparation],
        accepts: Accepts { weights: true, missing: true, sparse: true, passes: true, multi_target: true, ..Accepts::NUMBERS },
        params: &[],
    };

    fn model(&self, columns: usize) -> Result<Box<dyn Model>> {
        self.check_any()?;
        Ok(Box::new(FunctionModel { function: self.clone(), n_features: columns }))
    }
}

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Function").field("name", &self.name).field("columns", &self.columns).finish_non_exhaustive()
    }
}

/// A closure has neither a default nor a serialized form, so this is no [`Learner`]; it has what pipelines need.
impl AnyLearner for Function {
    fn spec(&self) -> &'static Spec {
        const { &Self::SPEC }
    }

    fn params(&self) -> Value {
        json!({ "name": &*self.name, "columns": &*self.columns })
    }

    fn set(&mut self, name: &str, _: Value) -> Result<()> {
        Self::SPEC.param(name).map(|_| ())
    }

    fn set_all(&mut self, params: &serde_json::Map<String, Value>) -> Result<()> {
        params.keys().try_for_each(|name| Self::SPEC.param(name).map(|_| ()))
    }

    fn check_any(&self) -> Result<()> {
        if self.columns.is_empty() {
            return Err(Error::Data(format!("the function \"{}\" makes no columns", self.name)));
        }
        Ok(())
    }

    fn fit_any(&self, data: &DatasetRef<'_>, _: &Context<'_>) -> Result<Box<dyn Model>> {
        data.check(&Self::SPEC)?;
        self.model(data.cols())
    }

    fn fit_source(&self, source: &dyn RowSource, cx: &Context<'_>) -> Result<Box<dyn Model>> {
        let mut columns = None;
        source.scan(&mut |rows| {
            cx.check(Progress { stage: "columns", done: 0, total: None, objective: None })?;
            rows.check(&Self::SPEC)?;
            columns = Some(rows.cols());
            Ok(Flow::Stop)
        })?;
        self.model(columns.ok_or_else(|| Error::Data("there are 0 rows, and function needs at least 1".into()))?)
    }

    fn load_any(&self, _: &ModelReader) -> Result<Box<dyn Model>> {
        Err(Error::Model("a function is no part of a model file".into()))
    }

    fn boxed(&self) -> Box<dyn AnyLearner> {
        Box::new(self.clone())
    }
}

/// A function with its number of input columns.
#[derive(Debug, Clone)]
pub struct FunctionModel {
    function: Function,
    n_features: usize,
}

ermine_core::display_as_report!(FunctionModel);

impl Model for FunctionModel {
    fn n_features(&self) -> usize {
        self.n_features
    }

    fn as_transformer(&self) -> Option<&dyn Transformer> {
        Some(self)
    }

    fn report(&self, schema: &Schema) -> Report {
        let mut out = Report::default();
        let (from, to) = (schema.names().collect::<Vec<_>>().join(", "), self.function.columns.join(", "));
        out.text(format!("Function \"{}\": {to} from {from}.", self.function.name));
        out
    }

    fn save(&self, _: &mut ModelWriter) -> Result<()> {
        Err(Error::Model(format!(
            "the function \"{}\" is code, which a model file does not hold; make its columns with features::apply before training and \
             before prediction, and save the rest",
            self.function.name
        )))
    }
}

impl Transformer for FunctionModel {
    fn transform(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        x.expect_cols(self.n_features)?;
        apply(x, self.function.columns.len(), &*self.function.f)
    }

    fn schema_out(&self, _: &Schema) -> Schema {
        Schema::numbers(self.function.columns.iter().cloned())
    }
}
