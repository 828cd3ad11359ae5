//! Typed rows, models bound to them, and learners of a program's own.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use ermine::prelude::*;
use ermine_checks::Verdict;
use serde::{Deserialize, Serialize};
use serde_json::json;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// Counts the allocations of each thread.
struct Counting;

// SAFETY: all work is the system's.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|n| n.set(n.get() + 1));
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[derive(Debug, Clone, Copy, PartialEq, Category)]
enum Heating {
    Gas,
    #[row(name = "district heating")]
    District,
    Wood,
}

#[derive(Debug, Clone, Row)]
struct House {
    area: f64,
    city: String,
    rooms: Option<u32>,
    garden: bool,
    heating: Option<Heating>,
    #[row(name = "built in")]
    built: i32,
    #[row(skip)]
    #[allow(dead_code)]
    note: &'static str,
    #[row(target)]
    price: f64,
}

fn houses(count: usize) -> Vec<House> {
    (0..count)
        .map(|i| {
            let (area, built) = (40.0 + (i * 37 % 120) as f64, 1900 + (i * 13 % 120) as i32);
            let city = ["Bern", "Chur", "Genf"][i % 3].to_owned();
            let rooms = (i % 7 != 0).then_some(1 + (i % 5) as u32);
            let heating = [Some(Heating::Gas), Some(Heating::District), Some(Heating::Wood), None][i / 2 % 4];
            let price = 3.0 * area + 50.0 * (i % 3) as f64 + (built - 1900) as f64 * 0.5 + (i % 11) as f64;
            House { area, city, rooms, garden: i % 2 == 0, heating, built, note: "", price }
        })
        .collect()
}

#[test]
fn rows_are_a_table_with_a_target() {
    let data = OwnedDataset::from_rows(&houses(20)).unwrap();
    let Features::Table(t) = data.view().x else { panic!("a table") };
    assert_eq!(t.schema().names().collect::<Vec<_>>(), ["area", "city", "rooms", "garden", "heating", "built in"]);
    assert_eq!(t.numbers(3).unwrap()[..3], [1.0, 0.0, 1.0]);
    assert_eq!(t.missing(2), Some((3, 0)));
    assert_eq!(t.categories(4).unwrap().1.join(" "), "Gas Wood district heating");
    assert!(matches!(data.y, OwnedTarget::Real(y) if y.len() == 20));
    let problem = Problem::from_rows(&houses(20)).unwrap();
    assert_eq!(problem.target.names, ["price"]);
}

/// Trains the named learner, and loads it from bytes as a program would from a file.
fn fitted<R: Row>(name: &str, params: serde_json::Value, rows: &[R]) -> Fitted {
    let mut learner = ermine::learner(name).unwrap();
    learner.set_all(params.as_object().unwrap()).unwrap();
    let problem = Problem::from_rows(rows).unwrap();
    let fitted = Fitted::train(prepared(learner), &problem, &Context::default()).unwrap();
    Fitted::from_bytes(fitted.to_bytes().unwrap()).unwrap()
}

#[test]
fn a_bound_model_predicts_the_bits_of_the_table_and_allocates_nothing() {
    let rows = houses(90);
    let mut later = houses(30);
    later[3].city = "Lugano".into();
    later[4].area = f64::NAN;
    let table = OwnedDataset::from_rows(&later).unwrap();
    let small = json!({"n_estimators": 20});
    for (name, params) in [("ridge", json!({})), ("forest", small.clone()), ("gradient-boosting", small), ("boosting", json!({}))]
    {
        let model = fitted(name, params, &rows);
        let want = model.model.as_regressor().unwrap().predict(&table.view().x).unwrap();
        let ask = model.bind::<House>().unwrap();
        let mut found = vec![0.0; later.len()];
        ask.predict(&later[0]).unwrap();
        let before = ALLOCATIONS.get();
        for (out, house) in found.iter_mut().zip(&later) {
            *out = ask.predict(house).unwrap();
        }
        assert_eq!(ALLOCATIONS.get(), before, "{name} allocates");
        let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&found), bits(want.as_slice()), "{name}");
    }
    // A model without a function of one row predicts a table of one row.
    let model = fitted("knn", json!({}), &rows);
    let want = model.model.as_regressor().unwrap().predict(&table.view().x).unwrap();
    let ask = model.bind::<House>().unwrap();
    later.iter().enumerate().for_each(|(i, house)| assert_eq!(ask.predict(house).unwrap(), want[(i, 0)], "row {i}"));
    assert!(ask.classify(&later[0]).unwrap_err().to_string().contains("no classifier"));
}

#[derive(Row)]
struct Flower<'a> {
    petal: f32,
    color: &'a str,
    #[row(weight)]
    weight: f64,
    #[row(target)]
    kind: &'a str,
}

#[test]
fn a_classifier_answers_with_labels() {
    let of = |i: usize| Flower {
        petal: (i % 3) as f32 + 0.1 * (i % 5) as f32,
        color: ["red", "blue"][i % 2],
        weight: 1.0,
        kind: ["iris", "rose", "tulip"][i % 3],
    };
    let rows: Vec<_> = (0..60).map(of).collect();
    for (name, params) in
        [("logistic", json!({})), ("forest", json!({"n_estimators": 10})), ("boosting", json!({})), ("lda", json!({}))]
    {
        let weighted = name != "lda";
        let ask = fitted(name, params, &rows).bind::<Flower<'_>>().unwrap();
        assert_eq!(ask.classes(), ["iris", "rose", "tulip"]);
        let (mut proba, before) = ([0.0; 3], ALLOCATIONS.get());
        let _ = ask.classify(&rows[0]).unwrap();
        let warm = ALLOCATIONS.get();
        for row in &rows {
            assert_eq!(ask.classify(row).unwrap(), row.kind, "{name}");
            ask.proba(row, &mut proba).unwrap();
            assert!((proba.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
        assert!(!weighted || ALLOCATIONS.get() == warm, "{name} allocates {}", ALLOCATIONS.get() - before);
        assert!(ask.predict(&rows[0]).unwrap_err().to_string().contains("use classify"));
        assert!(ask.proba(&rows[0], &mut [0.0; 2]).is_err());
    }
}

#[test]
fn what_differs_is_named_when_a_model_is_bound() {
    #[derive(Row)]
    struct Flat {
        aera: f64,
        city: f64,
        rooms: String,
        garden: bool,
        heating: Heating,
        #[row(name = "built in")]
        built: u16,
    }
    let flat = Flat { aera: 1.0, city: 2.0, rooms: "3".into(), garden: true, heating: Heating::Wood, built: 1990 };
    assert_eq!(flat.cell(0), ermine::core::RowCell::Number(1.0));
    let e = fitted("ridge", json!({}), &houses(40)).bind::<Flat>().err().unwrap().to_string();
    assert!(e.contains("Flat does not fit") && e.contains("no field \"area\" (is it \"aera\"?)"), "{e}");
    assert!(e.contains("\"rooms\" is of type category, and the model was trained on type number"), "{e}");
    assert!(!e.contains("garden") && !e.contains("heating") && !e.contains("built"), "{e}");
}

#[test]
fn numbers_and_truth_values_are_categories_where_the_model_says_so() {
    #[derive(Row)]
    struct Named {
        level: String,
        yes: &'static str,
        #[row(target)]
        y: f64,
    }
    #[derive(Row)]
    struct Coded {
        level: u8,
        yes: bool,
    }
    let named: Vec<Named> = (0..40)
        .map(|i| Named { level: (1 + i % 3).to_string(), yes: ["false", "true"][i % 2], y: (i % 3 * 10 + i % 2) as f64 })
        .collect();
    let ask = fitted("forest", json!({"n_estimators": 10}), &named).bind::<Named>().unwrap();
    let coded = fitted("forest", json!({"n_estimators": 10}), &named).bind::<Coded>().unwrap();
    for (i, row) in named.iter().enumerate() {
        let code = Coded { level: (1 + i % 3) as u8, yes: i % 2 == 1 };
        assert_eq!(ask.predict(row).unwrap().to_bits(), coded.predict(&code).unwrap().to_bits());
    }
}

/// The mean of the target, shrunk towards 0.
///
/// For tests.
#[derive(Debug, Clone, Default, Serialize, Deserialize, Learner)]
#[serde(default, deny_unknown_fields)]
#[learner(regressor = Center)]
struct ShrunkMean {
    /// How many rows of 0 are added.
    #[param(min = 0.0, search = "0..10")]
    alpha: f64,
    /// Whether the largest target is left out.
    trim: bool,
}

#[derive(Debug, Serialize, Deserialize)]
struct Center(f64);

impl RowRegressor for Center {
    type Params = ShrunkMean;
    fn fit(params: &ShrunkMean, _: MatRef<'_, f64>, y: &[f64]) -> ermine::Result<Self> {
        Ok(Self(y.iter().sum::<f64>() / (y.len() as f64 + params.alpha)))
    }
    fn predict(&self, _: &[f64]) -> f64 {
        self.0
    }
}

/// The class whose mean is nearest.
#[derive(Debug, Clone, Default, Serialize, Deserialize, Learner)]
#[serde(default, deny_unknown_fields)]
#[learner(classifier = Means, name = "nearest-mean")]
struct NearestMean {
    /// The exponent of the distance.
    #[param(choices("square", "absolute"))]
    distance: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Means(Vec<Vec<f64>>);

impl RowClassifier for Means {
    type Params = NearestMean;
    fn fit(_: &NearestMean, x: MatRef<'_, f64>, classes: &[u32], n_classes: usize) -> ermine::Result<Self> {
        let mean = |class: usize, j: usize| {
            let of_class = (0..x.rows()).filter(|&i| classes[i] as usize == class);
            of_class.clone().map(|i| *x.at(i, j)).sum::<f64>() / of_class.count().max(1) as f64
        };
        Ok(Self((0..n_classes).map(|k| (0..x.cols()).map(|j| mean(k, j)).collect()).collect()))
    }
    fn predict(&self, row: &[f64], proba: &mut [f64]) {
        for (p, mean) in proba.iter_mut().zip(&self.0) {
            *p = 1.0 / (1e-9 + row.iter().zip(mean).map(|(a, b)| (a - b) * (a - b)).sum::<f64>());
        }
    }
}

fn install() {
    Catalogue::new().with::<ShrunkMean>().with::<NearestMean>().install().unwrap();
}

#[test]
fn a_learner_of_ten_lines_is_declared_by_its_struct() {
    use ermine::core::{Range, Task};
    let spec = ShrunkMean::SPEC;
    assert_eq!((spec.name, spec.summary, spec.notes), ("shrunk-mean", "The mean of the target, shrunk towards 0", "For tests."));
    assert_eq!(spec.tasks, [Task::Regression]);
    assert_eq!((spec.params[0].name, spec.params[0].doc), ("alpha", "How many rows of 0 are added."));
    assert!(matches!(spec.params[0].range, Range::Real { min: 0.0, above: false, .. }) && spec.params[1].range == Range::Bool);
    assert_eq!(ShrunkMean::SEARCH_SPACE, ["alpha=0..10"]);
    assert_eq!(NearestMean::SPEC.params[0].range, Range::Optional(&Range::Choice(&["square", "absolute"])));
    let model = ShrunkMean { alpha: 2.0, trim: false }.fit(&OwnedDataset::from_rows(&numbers()).unwrap()).unwrap();
    assert_eq!(model.inner().0, 3.0);
}

#[derive(Row)]
struct Numbers {
    a: f64,
    #[row(target)]
    y: f64,
}

fn numbers() -> Vec<Numbers> {
    [(1.0, 4.0), (2.0, 5.0), (3.0, 6.0), (4.0, 9.0), (5.0, 3.0), (6.0, 3.0), (7.0, 0.0), (8.0, 0.0)]
        .map(|(a, y)| Numbers { a, y })
        .into()
}

#[test]
fn own_learners_pass_the_common_checks() {
    for result in ermine_checks::run::<ShrunkMean>().into_iter().chain(ermine_checks::run::<NearestMean>()) {
        if let Verdict::Fail(how) = result.verdict {
            panic!("{}, {}: {how}", result.learner, result.check);
        }
    }
}

#[test]
fn pipelines_around_own_learners_are_loaded_again() {
    install();
    install();
    let mut learner = ermine::learner("shrunk-mean").unwrap();
    learner.set("alpha", json!(1.0)).unwrap();
    assert!(learner.set("alpha", json!(-1.0)).unwrap_err().to_string().contains("alpha"));
    assert!(ermine::learner("shrunk").err().unwrap().to_string().contains("shrunk-mean"));
    let problem = Problem::from_rows(&numbers()).unwrap();
    let fitted = Fitted::train(prepared(learner), &problem, &Context::default()).unwrap();
    let again = Fitted::from_bytes(fitted.to_bytes().unwrap()).unwrap();
    assert_eq!(again.learner.params(), fitted.learner.params());
    let ask = again.bind::<Numbers>().unwrap();
    assert_eq!(ask.predict(&numbers()[0]).unwrap(), 30.0 / 9.0);
    // As a member of an ensemble too.
    let mut voting = ermine::learner("voting").unwrap();
    voting.set("estimators", json!("shrunk-mean,ridge")).unwrap();
    let fitted = Fitted::train(voting, &problem, &Context::default()).unwrap();
    assert!(Fitted::from_bytes(fitted.to_bytes().unwrap()).is_ok());
}

/// A learner whose name is taken.
#[derive(Debug, Clone, Default, Serialize, Deserialize, Learner)]
#[learner(regressor = Taken, name = "ridge")]
struct Impostor {}

#[derive(Debug, Serialize, Deserialize)]
struct Taken;

impl RowRegressor for Taken {
    type Params = Impostor;
    fn fit(_: &Impostor, _: MatRef<'_, f64>, _: &[f64]) -> ermine::Result<Self> {
        Ok(Self)
    }
    fn predict(&self, _: &[f64]) -> f64 {
        0.0
    }
}

#[test]
fn a_name_that_is_taken_is_refused() {
    let e = Catalogue::new().with::<Impostor>().install().unwrap_err().to_string();
    assert!(e.contains("\"ridge\""), "{e}");
    assert!(ermine::learner("ridge").unwrap().params().get("alpha").is_some());
}
