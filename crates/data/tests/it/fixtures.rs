//! The data sets of the repository, read whole.

use ermine_core::{Column, ColumnKind, Table};
use ermine_data::read_table;
use ermine_fixtures::data_set;

fn fixture(name: &str) -> Table {
    read_table(data_set(name)).unwrap()
}

fn kinds(table: &Table) -> Vec<ColumnKind> {
    table.schema().fields.iter().map(|f| f.kind).collect()
}

#[test]
fn every_fixture_has_its_shape() {
    let shapes = [
        ("breast_cancer", 569, 31),
        ("california_housing", 20_640, 10),
        ("diabetes", 442, 11),
        ("digits", 1797, 65),
        ("german_credit", 1000, 21),
        ("iris", 150, 5),
        ("mushrooms", 8124, 23),
        ("old_faithful", 272, 2),
        ("penguins", 344, 8),
        ("titanic", 891, 12),
        ("wine", 178, 14),
    ];
    for (name, rows, cols) in shapes {
        let table = fixture(name);
        assert_eq!((table.rows(), table.schema().len()), (rows, cols), "{name}");
    }
}

#[test]
fn the_passenger_list_has_every_kind() {
    use ColumnKind::{Category, Identifier, Number, Text};
    let table = fixture("titanic");
    let names: Vec<&str> = table.schema().names().collect();
    let expected = [
        ("PassengerId", Identifier),
        ("Survived", Number),
        ("Pclass", Number),
        ("Name", Text),
        ("Sex", Category),
        ("Age", Number),
        ("SibSp", Number),
        ("Parch", Number),
        ("Ticket", Text),
        ("Fare", Number),
        ("Cabin", Text),
        ("Embarked", Category),
    ];
    for ((name, kind), (found, found_kind)) in expected.iter().zip(names.iter().zip(kinds(&table))) {
        assert_eq!((name, *kind), (found, found_kind));
    }
    let missing = |name: &str| table.view().missing(table.schema().position(name).unwrap()).map_or(0, |m| m.0);
    assert_eq!((missing("Age"), missing("Cabin"), missing("Embarked"), missing("Fare")), (177, 687, 2, 0));
    let Column::Text(cells) = table.column("Name").unwrap() else { panic!("names are text") };
    assert_eq!(cells[0].as_deref(), Some("Braund, Mr. Owen Harris"));
}
