//! Networks through the real binary: images with labels in a file of their own, layers as a line of text.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::command::{fails, json, run};

/// Images of 8 x 8 with a bar that stands (0) or lies (1), and their labels, as IDX files.
fn bars(folder: &Path, rows: usize) -> (PathBuf, PathBuf) {
    let (images, labels) = (folder.join("pictures.idx"), folder.join("answers.idx"));
    let mut file = std::fs::File::create(&images).unwrap();
    file.write_all(&[0, 0, 8, 3]).unwrap();
    for n in [rows as u32, 8, 8] {
        file.write_all(&n.to_be_bytes()).unwrap();
    }
    let mut codes = Vec::new();
    for i in 0..rows {
        let (lies, at) = (i % 2, i / 2 % 8);
        let pixel = |p: usize| if (if lies == 1 { p / 8 } else { p % 8 }) == at { 200u8 } else { (i * 7 + p * 13) as u8 % 40 };
        file.write_all(&(0..64).map(pixel).collect::<Vec<u8>>()).unwrap();
        codes.push(lies as u8);
    }
    let mut file = std::fs::File::create(&labels).unwrap();
    file.write_all(&[0, 0, 8, 1]).unwrap();
    file.write_all(&(rows as u32).to_be_bytes()).unwrap();
    file.write_all(&codes).unwrap();
    (images, labels)
}

#[test]
fn images_and_their_labels_train_a_convolutional_network() {
    let folder = tempfile::tempdir().unwrap();
    let (images, labels) = bars(folder.path(), 160);
    let (images, labels) = (images.to_str().unwrap(), labels.to_str().unwrap());
    let model = folder.path().join("model.ermine");
    let model = model.to_str().unwrap();
    let set = ["--set", "layers=conv(6,3) relu globalpool", "--set", "max_iter=30", "--set", "learning_rate_init=0.02"];
    let fitted = json(&[&["fit", images, "--labels", labels, "--model", "convnet", "-o", model][..], &set].concat());
    assert_eq!(fitted["task"], "classification");
    assert!(fitted["train_metrics"]["accuracy"].as_f64().unwrap() > 0.95, "{fitted}");
    let again = json(&["evaluate", model, images, "--labels", labels]);
    assert_eq!(again["metrics"]["accuracy"], fitted["train_metrics"]["accuracy"]);
    let explanation = String::from_utf8(run(&["explain", model]).stdout).unwrap();
    assert!(explanation.contains("conv(6,3)"), "{explanation}");
    let e = fails(&["fit", images, "--labels", images, "--model", "convnet"]).1;
    assert!(e.contains("labels") && e.contains("160"), "{e}");
    let e = fails(&["fit", "example:iris", "--labels", labels, "--model", "mlp"]).1;
    assert!(e.contains("IDX"), "{e}");
}

#[test]
fn perceptrons_learn_tables_and_say_what_does_not_fit() {
    let fit = ["fit", "example:penguins", "--target", "species", "--model", "mlp"];
    let fitted = json(&[&fit[..], &["--set", "hidden_layer_sizes=[16]", "--set", "max_iter=100"]].concat());
    assert!(fitted["train_metrics"]["accuracy"].as_f64().unwrap() > 0.97, "{fitted}");
    let e = fails(&[&fit[..], &["--set", "layers=dense(8) pool(2)"]].concat()).1;
    assert!(e.contains("layer 2, pool(2)"), "{e}");
    let e = fails(&[&fit[..], &["--set", "layers=dens(8)"]].concat()).1;
    assert!(e.contains("did you mean \"dense\""), "{e}");
}
