//! Boosting against the book of reference values: accuracy and error on data held out, at the settings of the book.

use ermine_core::{Column, Context, DatasetRef, Features, Learner, OwnedTarget, Table, Target};
use ermine_eval::metrics::evaluate;
use ermine_fixtures::number;
use ermine_tree::boosting::Boosting;

/// The bound of a case for a measure.
fn bound(case: &str, name: &str) -> f64 {
    number(&ermine_fixtures::case("ensembles", case)["expected"]["lightgbm"][name])
}

/// The learner at the book's settings.
fn learner() -> Boosting {
    Boosting { subsample: 0.8, ..Boosting::default() }
}

fn column_as_labels(table: &Table, name: &str) -> OwnedTarget {
    let labels: Vec<String> = match table.column(name).unwrap() {
        Column::Number { values, .. } => values.iter().map(|v| v.to_string()).collect(),
        Column::Category { codes, names } => codes.iter().map(|&c| names[c as usize].clone()).collect(),
        Column::Text(cells) => cells.iter().map(|c| c.clone().unwrap_or_default()).collect(),
    };
    OwnedTarget::from_labels(&labels)
}

/// What a fit on some rows says of others.
fn measure(x: &Table, y: &OwnedTarget, train: &[usize], test: &[usize], name: &str) -> f64 {
    let all = DatasetRef::new(Features::Table(x.view())).with_target(y.view());
    let (train, test) = (all.take_rows(train), all.take_rows(test));
    let model = learner().fit_with(&train.view(), &Context::seeded(1)).unwrap();
    let view = test.view();
    let measures = evaluate(&model, &view.x, &view.y, None).unwrap();
    measures.into_iter().find(|(n, _)| *n == name).unwrap().1
}

/// The mean over the folds i mod 5.
fn five_folds(x: &Table, y: &OwnedTarget, name: &str) -> f64 {
    let rows = x.rows();
    let mut sum = 0.0;
    for fold in 0..5 {
        let (test, train): (Vec<usize>, Vec<usize>) = (0..rows).partition(|i| i % 5 == fold);
        sum += measure(x, y, &train, &test, name) * test.len() as f64;
    }
    sum / rows as f64
}

/// Categories as whole numbers in the order of their names, which is how the book prepared them.
fn as_codes(x: &Table) -> Table {
    let codes = |column: &Column| match column {
        Column::Category { codes, names } => {
            let mut sorted: Vec<&String> = names.iter().collect();
            sorted.sort();
            let place = |c: &u32| names.get(*c as usize).map_or(f64::NAN, |n| sorted.binary_search(&n).unwrap() as f64);
            Column::numbers(codes.iter().map(place).collect())
        }
        other => other.clone(),
    };
    Table::new(x.schema().names().zip(x.columns()).map(|(n, c)| (n.to_owned(), codes(c)))).unwrap()
}

fn read(path: &str) -> Table {
    ermine_data::read_table(path).unwrap()
}

#[test]
fn small_classifications_reach_the_book() {
    for (file, target, case, drop) in [
        ("breast_cancer", "target", "breast_cancer", &[][..]),
        ("wine", "target", "wine", &[][..]),
        ("german_credit", "risk", "german_credit", &[][..]),
        ("titanic", "Survived", "titanic_native_missing", &["PassengerId", "Name", "Ticket", "Cabin"][..]),
    ] {
        let table = read(&ermine_fixtures::data_set(file));
        let y = column_as_labels(&table, target);
        let mut out: Vec<&str> = drop.to_vec();
        out.push(target);
        let (x, _) = table.split_off(&out).unwrap();
        let accuracy = five_folds(&as_codes(&x), &y, "accuracy");
        let least = bound(case, "accuracy_lower_bound");
        assert!(accuracy >= least, "{case}: accuracy {accuracy}, and the book asks for {least}");
    }
}

#[test]
fn california_reaches_the_book() {
    let table = read(&ermine_fixtures::data_set("california_housing"));
    let (x, taken) = table.split_off(&["median_house_value"]).unwrap();
    let Column::Number { values, .. } = &taken[0].1 else { panic!("the target is a number") };
    let y = OwnedTarget::Real(values.iter().map(|v| v / 100_000.0).collect());
    let (test, train): (Vec<usize>, Vec<usize>) = (0..x.rows()).partition(|i| i % 5 == 0);
    let (found, most) = (measure(&x, &y, &train, &test, "rmse"), bound("california", "rmse_upper_bound"));
    assert!(found <= most, "rmse {found}, and the book asks for {most}");
}

/// A large file, when it is there: `ERMINE_DATA` is the folder.
fn large(name: &str) -> Option<Table> {
    let path = format!("{}/{name}", std::env::var("ERMINE_DATA").ok()?);
    std::path::Path::new(&path).exists().then(|| read(&path))
}

#[test]
fn adult_reaches_the_book() {
    let (Some(train), Some(test)) = (large("adult_train.csv.gz"), large("adult_test.csv.gz")) else {
        eprintln!("skipped: ERMINE_DATA does not hold adult_train.csv.gz and adult_test.csv.gz");
        return;
    };
    let target = train.schema().fields.last().unwrap().name.clone();
    let (y, y_test) = (column_as_labels(&train, &target), column_as_labels(&test, &target));
    let ((x, _), (x_test, _)) = (train.split_off(&[&target]).unwrap(), test.split_off(&[&target]).unwrap());
    let data = DatasetRef::new(Features::Table(x.view())).with_target(y.view());
    let model = learner().fit_with(&data, &Context::seeded(1)).unwrap();
    let (Target::Class { names, .. }, Target::Class { names: others, .. }) = (y.view(), y_test.view()) else { panic!() };
    assert_eq!(names, others);
    let measures = evaluate(&model, &Features::Table(x_test.view()), &y_test.view(), None).unwrap();
    let of = |name: &str| measures.iter().find(|(n, _)| *n == name).unwrap().1;
    assert!(of("accuracy") >= bound("adult", "accuracy_lower_bound"), "{measures:?}");
    assert!(of("log_loss") <= 0.2795 * 1.005, "{measures:?}");
}

#[test]
fn covtype_reaches_the_book() {
    let Some(table) = large("covtype.csv.gz") else {
        eprintln!("skipped: ERMINE_DATA does not hold covtype.csv.gz");
        return;
    };
    let target = table.schema().fields.last().unwrap().name.clone();
    let y = column_as_labels(&table, &target);
    let (x, _) = table.split_off(&[&target]).unwrap();
    let pick = |k: usize| (0..x.rows()).filter(|i| i % 10 == k).collect::<Vec<_>>();
    let accuracy = measure(&x, &y, &pick(1), &pick(0), "accuracy");
    let least = bound("covtype_58k", "accuracy_lower_bound");
    assert!(accuracy >= least, "accuracy {accuracy}, and the book asks for {least}");
}
