use ermine_core::{Cell, Features};

use super::*;
use ermine_compose::{Pipeline, Problem, prepared};
use ermine_core::{AnyLearner, Context, OwnedTarget, Roles};

fn problem(name: &str, target: &str) -> Problem {
    let table = ermine_data::read_table(name).unwrap();
    Problem::from_table(table, &Roles::with_target(target)).unwrap()
}

fn fit(learner: &str, problem: &Problem) -> Fitted {
    Fitted::train(prepared(ermine_compose::learner(learner).unwrap()), problem, &Context::default()).unwrap()
}

fn titles(page: &Document) -> Vec<&str> {
    page.parts.iter().map(|p| p.title.as_str()).collect()
}

#[test]
fn a_model_is_judged_by_rows_that_it_has_not_seen() {
    let all = problem("example:penguins", "species");
    let mut fitted = fit("logistic", &all);
    let cx = Context::default();
    let judged = ReportEvaluation::evaluate(&fitted, &all.dataset(), 5, &cx).unwrap();
    assert_eq!((judged.how, judged.rows()), (EvaluationKind::CrossValidated(5), 344));
    // Predictions of a row come from a model that was trained without it.
    let parts = judged.models_with_rows(&fitted, &all.dataset());
    assert_eq!(parts.len(), 5);
    assert_eq!(parts.iter().map(|p| p.data.rows()).sum::<usize>(), 344);
    let first = parts[0].model.as_classifier().unwrap().proba(&parts[0].data.x).unwrap();
    assert_eq!(judged.output.values().row(0), first.row(0));
    assert_eq!(ReportEvaluation::evaluate(&fitted, &all.dataset(), 0, &cx).unwrap().how, EvaluationKind::TrainingRows);
    let some: Vec<usize> = (0..100).collect();
    let other = all.take_rows(&some);
    assert_eq!(ReportEvaluation::evaluate(&fitted, &other.dataset(), 5, &cx).unwrap().how, EvaluationKind::New);
    // A file tells it as well as memory does.
    let again = Fitted::from_bytes(fitted.to_bytes().unwrap()).unwrap();
    assert!(matches!(ReportEvaluation::evaluate(&again, &all.dataset(), 2, &cx).unwrap().how, EvaluationKind::CrossValidated(2)));
    fitted.data.held_out = Some(0.25);
    let evaluation = ReportEvaluation::evaluate(&fitted, &all.dataset(), 5, &cx).unwrap();
    assert_eq!((evaluation.how, evaluation.rows()), (EvaluationKind::HeldOut(0.25), 86));
    fitted.data.fingerprint = None;
    assert_eq!(ReportEvaluation::evaluate(&fitted, &all.dataset(), 5, &cx).unwrap().how, EvaluationKind::Unknown);
}

#[test]
fn a_page_of_classes_has_all_its_parts_and_makes_the_same_bytes_again() {
    let all = problem("example:penguins", "sex");
    let fitted = fit("logistic", &all);
    let settings = ReportOptions {
        folds: 3,
        sample: Some(100),
        learning_curve: Some(true),
        cost: Some((5.0, 1.0)),
        ..ReportOptions::default()
    };
    let make = || {
        let mut subject = ReportInput::new(&fitted, all.dataset(), settings.clone());
        subject.origin.command = "ermine report <model>".into();
        subject.page(&Context::default()).unwrap()
    };
    let page = make();
    let wanted = [
        "Summary",
        "Errors",
        "Ranking",
        "Calibration",
        "Decisions",
        "What matters",
        "How predictions move",
        "Learning curve",
        "The model",
        "Evidence of the fit",
        "Data",
        "Reproduce",
    ];
    assert_eq!(titles(&page), wanted);
    let html = page.to_html().unwrap();
    assert!(html.contains("ermine report &lt;model&gt;") && html.contains(fitted.data.fingerprint.as_ref().unwrap()));
    assert!(page.figures().iter().all(|f| f.alt_text.len() > 20), "figures are told to those who do not see them");
    let names: std::collections::BTreeSet<&str> = page.figures().iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names.len(), page.figures().len(), "files of figures have names of their own");
    assert_eq!(html, make().to_html().unwrap());
    let (text, files) = page.to_markdown("files");
    assert_eq!(files.len(), page.figures().len());
    assert!(files.iter().all(|(name, _)| text.contains(&format!("(files/{name})"))));
}

#[test]
fn a_page_of_numbers_and_one_without_target_have_theirs() {
    let all = problem("example:diabetes", "progression");
    let fitted = fit("ridge", &all);
    let settings = ReportOptions { folds: 3, sample: Some(100), learning_curve: Some(false), ..ReportOptions::default() };
    let page = ReportInput::new(&fitted, all.dataset(), settings.clone()).page(&Context::default()).unwrap();
    let wanted =
        ["Summary", "Errors", "What matters", "How predictions move", "The model", "Evidence of the fit", "Data", "Reproduce"];
    assert_eq!(titles(&page), wanted);
    assert!(page.figures().iter().any(|f| f.name == "residuals") && page.figures().iter().any(|f| f.name == "attributions"));
    assert!(page.to_html().unwrap().contains("R²"));

    let table = ermine_data::read_table("example:iris").unwrap();
    let (table, _) = table.split_off(&["species"]).unwrap();
    let rows = Problem::from_table(table, &Roles::default()).unwrap();
    let groups = fit("kmeans", &rows);
    let page = ReportInput::new(&groups, rows.dataset(), settings.clone()).page(&Context::default()).unwrap();
    assert!(
        titles(&page).contains(&"The shape of the rows") && page.figures().iter().any(|f| f.name == "plane"),
        "{:?}",
        titles(&page)
    );
    let axes = fit("pca", &rows);
    let page = ReportInput::new(&axes, rows.dataset(), settings).page(&Context::default()).unwrap();
    assert!(page.figures().iter().any(|f| f.name == "loadings"), "{:?}", titles(&page));
}

#[test]
fn parts_of_a_prepared_line_are_those_of_the_columns_that_came_in() {
    let all = problem("example:penguins", "sex");
    let fitted = fit("logistic", &all);
    let data = all.dataset();
    let additive = fitted.model.as_additive().expect("a line behind a preparation that keeps columns apart");
    let parts = additive.parts(&data.x).unwrap();
    assert_eq!(parts.cols(), all.x.columns().len(), "a category is one column");
    let score = fitted.model.as_classifier().unwrap().decision(&data.x).unwrap().unwrap();
    let rest = |i: usize| score[(i, 0)] - parts.row(i).iter().sum::<f64>();
    assert!((1..data.rows()).all(|i| (rest(i) - rest(0)).abs() < 1e-9), "but for a constant the parts are the score");
    // A map that mixes columns has no attributions of columns.
    let mixed = Pipeline::from_learners([
        Box::new(ermine_prep::preprocessing::Prepare::default()) as Box<dyn AnyLearner>,
        ermine_compose::learner("polynomial").unwrap(),
        ermine_compose::learner("logistic").unwrap(),
    ]);
    let fitted = Fitted::train(Box::new(mixed), &all, &Context::default()).unwrap();
    assert!(fitted.model.as_additive().is_none());
}

#[test]
fn the_nearest_example_of_a_training_row_is_itself() {
    let all = problem("example:penguins", "species");
    let fitted = fit("knn", &all);
    let data = all.dataset();
    let near = neighborhoods(&fitted, &data.x, &[0, 200], 3).unwrap().unwrap();
    for (n, row) in near.iter().zip([0, 200]) {
        let (number, far, answer, cells) = &n.examples[0];
        assert_eq!((n.row, *number, *far), (row, row, 0.0));
        let OwnedTarget::Class { codes, names } = &all.y else { panic!("classes") };
        assert_eq!(answer, &vec![Cell::from(names[codes[row] as usize].as_str())]);
        for (j, cell) in cells.iter().enumerate() {
            assert_eq!(cell, &regress::cell(&data.x, row, j), "column {j} comes back");
        }
    }
    let line = fit("logistic", &all);
    assert!(neighborhoods(&line, &Features::Table(all.x.view()), &[0], 3).unwrap().is_none());
}
