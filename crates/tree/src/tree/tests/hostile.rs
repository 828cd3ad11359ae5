//! Model files with edited content.

use ermine_core::file::{DataInfo, Header, TargetInfo, decode, encode, fix_hash};
use ermine_core::{Classifier, ModelReader, Schema};
use serde_json::json;

use super::*;

fn model() -> (TreeModel, Table) {
    let cells: Vec<Option<&str>> = (0..90).map(|i| ["red", "green", "blue"].get(i * 7 % 4).copied()).collect();
    let size: Vec<f64> = (0..90).map(|i| f64::from(i * 31 % 17)).collect();
    let table = Table::new([("colour", Column::categories(&cells)), ("size", Column::numbers(size))]).unwrap();
    let y = labels(&(0..90).map(|i| f64::from(i * 5 % 3)).collect::<Vec<_>>());
    let data = DatasetRef::new(Features::Table(table.view())).with_target(y.view());
    (tree(json!({"max_depth": 5})).fit_with(&data, &Context::default()).unwrap(), table)
}

fn file(model: &TreeModel) -> Vec<u8> {
    let header = Header {
        format: 1,
        version: "0".into(),
        learner: "tree".into(),
        params: json!({}),
        schema: Schema::default(),
        target: TargetInfo::default(),
        data: DataInfo::default(),
        certificate: None,
        seed: 0,
    };
    encode(&header, &bytes(model)).unwrap()
}

fn load(file: Vec<u8>) -> ermine_core::Result<TreeModel> {
    let reader: ModelReader = decode(file)?.1;
    Tree::load(&reader)
}

#[test]
fn a_loaded_tree_is_the_same_tree() {
    let (model, table) = model();
    assert!(model.left_categories(0).is_some() || model.node_count() > 1);
    let again = load(file(&model)).unwrap();
    assert!(bytes(&again) == bytes(&model));
    let x = Features::Table(table.view());
    assert_eq!(again.proba(&x).unwrap(), model.proba(&x).unwrap());
}

/// Whatever integers a file holds, it is refused or it predicts.
#[test]
fn edited_bytes_are_refused_or_harmless() {
    let (model, table) = model();
    let whole = file(&model);
    let x = Features::Table(table.view());
    let header = 8 + u64::from_le_bytes(whole[..8].try_into().unwrap()) as usize;
    let mut refused = 0;
    for at in header..whole.len() {
        for value in [0x00, 0x01, 0x7F, 0x80, 0xFF] {
            let mut edited = whole.clone();
            if edited[at] == value {
                continue;
            }
            edited[at] = value;
            fix_hash(&mut edited).unwrap();
            match load(edited) {
                Err(_) => refused += 1,
                Ok(m) => {
                    let p = m.proba(&x).unwrap();
                    assert!(p.as_slice().iter().all(|v| (0.0..=1.0).contains(v)));
                    m.depth();
                    m.rules(table.schema());
                    m.feature_importances();
                    m.decision_path(&x).unwrap();
                }
            }
        }
    }
    assert!(refused > 1000, "only {refused} edits were refused");
}

#[test]
fn cycles_and_strange_shapes_are_refused() {
    let edit = |change: &dyn Fn(&mut super::super::NodeArrays)| {
        let (model, _) = model();
        let mut nodes = model.nodes().clone();
        change(&mut nodes);
        let mut out = bytes(&model);
        out.vec("left", &nodes.left);
        out.vec("right", &nodes.right);
        out.vec("feature", &nodes.feature);
        out.vec("set_offset", &nodes.set_offset);
        out.mat("value", &nodes.value);
        Tree::load(&out.into_reader())
    };
    assert!(edit(&|_| {}).is_ok());
    assert!(edit(&|n| n.right[0] = 0).is_err());
    assert!(edit(&|n| n.right[0] = i32::MAX).is_err());
    assert!(edit(&|n| n.left[0] = -7).is_err());
    assert!(edit(&|n| n.feature[0] = 2).is_err());
    assert!(edit(&|n| n.right[0] += 1).is_err());
    assert!(edit(&|n| n.set_offset[1] = i64::MIN).is_err());
    assert!(edit(&|n| n.value = Mat::zeros(n.left.len(), 3)).is_err());
    assert!(edit(&|n| n.value = Mat::zeros(n.left.len(), 0)).is_err());
    assert!(edit(&|n| n.left.truncate(1)).is_err());
    assert!(
        edit(&|n| {
            n.left.clear();
            n.value = Mat::zeros(0, 3);
        })
        .is_err()
    );
}
