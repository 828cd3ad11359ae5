//! Every layer and compositions of them: gradients against finite differences, in f64.

use ermine_core::{Mat, MatRef, RngStream};
use ermine_neural::{Network, Shape, WeightInit, gradient_check};

fn numbers(n: usize, seed: u64) -> Vec<f64> {
    let mut s = RngStream::new(seed, "gradients", 0);
    (0..n).map(|_| s.normal()).collect()
}

/// A loss that is not quadratic and treats every output differently.
fn uneven(out: MatRef<'_, f64>) -> (f64, Mat<f64>) {
    let mut value = 0.0;
    let d = Mat::from_fn(out.rows(), out.cols(), |i, j| {
        let (z, c) = (*out.at(i, j), ((i * 5 + j * 3) as f64).sin() + 0.3);
        value += c * z + (0.7 * z + c).sin();
        c + 0.7 * (0.7 * z + c).cos()
    });
    (value, d)
}

fn check(line: &str, input: Shape, rows: usize) {
    let network: Network<f64> = Network::new(&line.parse().unwrap(), input, WeightInit::GlorotWithBias, 3).unwrap();
    let x = numbers(rows * input.len(), 1);
    let errors = gradient_check(&network, MatRef::row_major(&x, rows, input.len()), uneven).unwrap();
    assert!(!errors.is_empty());
    for e in &errors {
        assert!(e.error < 1e-6, "{line}: {e:?}");
    }
}

#[test]
fn dense_layers() {
    check("dense(3)", Shape::flat(4), 5);
    check("dense(70) tanh dense(20,bias=no) sigmoid dense(3)", Shape::flat(17), 7);
    check("dense(130)", Shape::flat(65), 3);
}

#[test]
fn activations() {
    for a in ["identity", "sigmoid", "tanh", "relu", "leaky(0.2)", "gelu", "softmax"] {
        check(&format!("dense(7) {a} dense(3)"), Shape::flat(4), 5);
        check(&format!("dense(6) {a}"), Shape::flat(4), 5);
        // Not behind a product, so that it is an operation of its own.
        check(&format!("dense(6) gelu {a} dense(2)"), Shape::flat(4), 5);
    }
}

#[test]
fn convolutions() {
    for line in [
        "conv(3,3)",
        "conv(5,3,pad=1) relu conv(4,2) tanh",
        "conv(4,3x2,stride=2,pad=1) sigmoid",
        "conv(3,2,dilation=2,pad=1) leaky(0.1) conv(2,2,stride=2)",
        "conv(20,3,pad=1) relu conv(18,3,pad=1) relu conv(2,3,dilation=2,pad=2,bias=no)",
        "conv(17,3,pad=3) relu conv(3,2,stride=3)",
        "conv(70,2) tanh conv(2,1)",
    ] {
        check(line, Shape::image(6, 7, 2), 3);
    }
}

#[test]
fn pools() {
    for line in [
        "conv(3,2) relu pool(2) dense(2)",
        "conv(3,2) tanh avgpool(2) dense(2)",
        "conv(3,2) pool(3,stride=1) dense(2)",
        "conv(3,2) avgpool(3x2,stride=2) dense(2)",
        "conv(4,2) relu globalpool dense(2)",
        "conv(4,2) globalavgpool relu dense(2)",
        "conv(4,2) flatten dense(2)",
    ] {
        check(line, Shape::image(7, 8, 2), 3);
    }
}

#[test]
fn normalization() {
    check("dense(5) batchnorm relu dense(2)", Shape::flat(4), 6);
    check("batchnorm dense(5) batchnorm tanh dense(2) batchnorm", Shape::flat(4), 6);
    check("conv(3,3,pad=1) batchnorm relu pool(2) conv(4,3) batchnorm leaky(0.1) dense(2)", Shape::image(8, 8, 2), 4);
}

#[test]
fn dropout_leaves_out_the_same_numbers_on_the_way_back() {
    check("dense(20) relu dropout(0.4) dense(9) sigmoid dropout(0.2) dense(2)", Shape::flat(4), 6);
    check("conv(4,3) batchnorm relu dropout(0.5) pool(2) dense(2)", Shape::image(6, 6, 1), 4);
}

#[test]
fn tables_of_categories() {
    let line = "embed(1:3:2,3:4:5) dense(6) tanh dense(2)";
    let network: Network<f64> = Network::new(&line.parse().unwrap(), Shape::flat(4), WeightInit::Auto, 3).unwrap();
    let mut x = numbers(8 * 4, 2);
    for i in 0..8 {
        x[4 * i + 1] = (i % 3) as f64;
        x[4 * i + 3] = (i % 4) as f64;
    }
    let errors = gradient_check(&network, MatRef::row_major(&x, 8, 4), uneven).unwrap();
    assert_eq!(errors.iter().filter(|e| e.name.starts_with("table")).count(), 2);
    assert!(errors.iter().all(|e| e.error < 1e-6), "{errors:?}");
    x[4 * 2 + 3] = 4.0;
    let e = network.predict(MatRef::row_major(&x, 8, 4)).unwrap_err().to_string();
    assert!(e.contains("column 3") && e.contains("row 2") && e.contains("0 to 3"), "{e}");
}

/// Many rows are cut into blocks, whose gradients are added up.
#[test]
fn blocks_of_rows_add_up() {
    // Smooth functions only: among so many numbers, some would be at a corner.
    check("conv(8,5,pad=2) tanh avgpool(2) conv(16,3) batchnorm tanh globalavgpool dense(3)", Shape::image(9, 9, 1), 60);
}
