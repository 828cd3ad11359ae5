//! Convolutional networks, autoencoders and GANs against known results.

use ermine_core::{
    Classifier, Context, DatasetRef, Features, Learner, Mat, Model, OwnedTarget, Regressor, RngStream, Target, Transformer,
};
use ermine_neural::{ActivationName, Autoencoder, AutoencoderSolver, ConvNet, Gan, Shape};

/// Eigenvectors of a symmetric matrix by Jacobi's rotations, largest eigenvalue first.
fn eigenvectors(mut a: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = a.len();
    let mut v: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    for _ in 0..100 {
        for p in 0..n {
            for q in p + 1..n {
                if a[p][q].abs() < 1e-300 {
                    continue;
                }
                let theta = 0.5 * (2.0 * a[p][q]).atan2(a[q][q] - a[p][p]);
                let (s, c) = theta.sin_cos();
                for k in 0..n {
                    let (x, y) = (a[k][p], a[k][q]);
                    (a[k][p], a[k][q]) = (c * x - s * y, s * x + c * y);
                }
                for k in 0..n {
                    let (x, y) = (a[p][k], a[q][k]);
                    (a[p][k], a[q][k]) = (c * x - s * y, s * x + c * y);
                    let (x, y) = (v[k][p], v[k][q]);
                    (v[k][p], v[k][q]) = (c * x - s * y, s * x + c * y);
                }
            }
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| a[j][j].total_cmp(&a[i][i]));
    order.into_iter().map(|j| (0..n).map(|i| v[i][j]).collect()).collect()
}

#[test]
fn a_linear_autoencoder_spans_the_space_of_the_principal_components() {
    let (rows, cols, codes) = (300, 6, 2);
    let mut s = RngStream::new(5, "linear", 0);
    let deviations = [4.0, 2.5, 0.8, 0.5, 0.3, 0.2];
    // A fixed rotation of independent columns, away from the origin.
    let mixing = Mat::from_fn(cols, cols, |i, j| ((i * 7 + j * 3 + 1) as f64).sin());
    let z = Mat::from_fn(rows, cols, |_, j| deviations[j] * s.normal());
    let x = Mat::from_fn(rows, cols, |i, j| 10.0 + (0..cols).map(|k| z[(i, k)] * mixing[(k, j)]).sum::<f64>());
    let mean: Vec<f64> = (0..cols).map(|j| (0..rows).map(|i| x[(i, j)]).sum::<f64>() / rows as f64).collect();
    let cov = |p: usize, q: usize| (0..rows).map(|i| (x[(i, p)] - mean[p]) * (x[(i, q)] - mean[q])).sum::<f64>() / rows as f64;
    let vectors = eigenvectors((0..cols).map(|p| (0..cols).map(|q| cov(p, q)).collect()).collect());
    let data = DatasetRef::new(Features::F64(x.view()));
    let learner = Autoencoder {
        n_components: codes,
        hidden_layer_sizes: vec![],
        activation: ActivationName::Identity,
        solver: AutoencoderSolver::Lbfgs,
        max_iter: 2000,
        tol: Some(1e-9),
        ..Autoencoder::default()
    };
    let model = learner.fit_with(&data, &Context::default()).unwrap();
    let back = model.reconstruct(&data.x).unwrap();
    // The reconstruction is the projection on the first components, row by row.
    let scale = (0..cols).map(|j| cov(j, j)).sum::<f64>().sqrt();
    for i in 0..rows {
        for j in 0..cols {
            let along = |k: usize| (0..cols).map(|q| (x[(i, q)] - mean[q]) * vectors[k][q]).sum::<f64>() * vectors[k][j];
            let want = mean[j] + (0..codes).map(along).sum::<f64>();
            assert!((back[(i, j)] - want).abs() < 2e-3 * scale, "row {i}, column {j}: {} {want}", back[(i, j)]);
        }
    }
    let z = model.transform(&data.x).unwrap();
    assert_eq!((z.rows(), z.cols()), (rows, codes));
    assert_eq!(model.inverse(z.view()).unwrap().unwrap(), back);
    assert_eq!(model.schema_out(&ermine_core::Schema::unnamed(cols)).len(), codes);
}

#[test]
fn a_curve_is_told_by_one_number() {
    // Half a circle: one line through it leaves the bend.
    let x = Mat::from_fn(200, 2, |i, j| {
        let angle = std::f64::consts::PI * i as f64 / 199.0;
        if j == 0 { angle.cos() } else { angle.sin() }
    });
    let data = DatasetRef::new(Features::F64(x.view()));
    let error = |activation: ActivationName| {
        let learner = Autoencoder {
            n_components: 1,
            hidden_layer_sizes: vec![24],
            activation,
            solver: AutoencoderSolver::Lbfgs,
            max_iter: 500,
            ..Autoencoder::default()
        };
        let back = learner.fit_with(&data, &Context::seeded(1)).unwrap().reconstruct(&data.x).unwrap();
        let far = |i: usize| (0..2).map(|j| (back[(i, j)] - x[(i, j)]).powi(2)).sum::<f64>();
        (0..200).map(far).sum::<f64>() / 200.0
    };
    let (bent, straight) = (error(ActivationName::Tanh), error(ActivationName::Identity));
    assert!(bent < 0.1 * straight, "{bent} {straight}");
}

/// Crosses and rings, at random places of noisy images.
fn signs(rows: usize, seed: u64) -> (Mat<f32>, OwnedTarget) {
    let mut s = RngStream::new(seed, "signs", 0);
    let mut x = Mat::filled(rows, 144, 0.0f32);
    let mut labels = Vec::new();
    for i in 0..rows {
        let (ring, top, left) = (s.below(2) == 1, s.below(7), s.below(7));
        let row = x.row_mut(i);
        row.iter_mut().for_each(|v| *v = (0.2 * s.normal()) as f32);
        for y in 0..5 {
            for z in 0..5 {
                let (edge, diagonal) = (y == 0 || y == 4 || z == 0 || z == 4, y == z || y + z == 4);
                if if ring { edge } else { diagonal } {
                    row[(top + y) * 12 + left + z] += 1.0;
                }
            }
        }
        labels.push(if ring { "ring" } else { "cross" });
    }
    (x, OwnedTarget::from_labels(&labels))
}

#[test]
fn signs_are_found_wherever_they_are() {
    let ((x, y), (u, v)) = (signs(600, 1), signs(300, 2));
    let data = DatasetRef::new(Features::F32(x.view())).with_target(y.view());
    for layers in ["conv(8,5) relu globalpool", "conv(8,3,pad=1) batchnorm relu pool(2) conv(8,3) relu globalpool dropout(0.1)"] {
        let net = ConvNet { layers: Some(layers.parse().unwrap()), max_iter: 20, learning_rate_init: 0.01, ..ConvNet::default() };
        let model = net.fit_with(&data, &Context::default()).unwrap();
        let Target::Class { codes, .. } = v.view() else { panic!("classes") };
        let predicted = model.classify(&Features::F32(u.view())).unwrap();
        let right = predicted.iter().zip(codes).filter(|(a, b)| a == b).count();
        assert!(right >= 290, "{layers}: {right} of 300");
    }
    let e =
        ConvNet { input: Some(Shape::image(10, 10, 1)), ..ConvNet::default() }.fit_with(&data, &Context::default()).unwrap_err();
    assert!(e.to_string().contains("input") && e.to_string().contains("144"), "{e}");
    let e = ConvNet { layers: Some("conv(4,20)".parse().unwrap()), ..ConvNet::default() }.fit_with(&data, &Context::default());
    let e = e.unwrap_err().to_string();
    assert!(e.contains("layer 1, conv(4,20)") && e.contains("12x12") && e.contains("20x20"), "{e}");
}

#[test]
fn a_convolution_of_a_line_predicts_numbers() {
    // The place of a bump.
    let mut s = RngStream::new(3, "bump", 0);
    let place: Vec<f64> = (0..400).map(|_| 2.0 + 14.0 * s.uniform()).collect();
    let x = Mat::from_fn(400, 19, |i, j| (-(j as f64 - place[i]).powi(2)).exp());
    let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(&place));
    let net =
        ConvNet { layers: Some("conv(8,3,pad=1) relu dense(16) relu".parse().unwrap()), max_iter: 40, ..ConvNet::default() };
    let net = ConvNet { input: Some(Shape::image(1, 19, 1)), learning_rate_init: 0.005, ..net };
    let predictions = net.fit_with(&data, &Context::default()).unwrap().predict(&data.x).unwrap();
    let mse = (0..400).map(|i| (predictions[(i, 0)] - place[i]).powi(2)).sum::<f64>() / 400.0;
    assert!(mse < 0.1, "{mse}");
}

#[test]
fn a_generator_comes_to_the_density_of_the_rows() {
    let mut s = RngStream::new(8, "normal", 0);
    let x = Mat::from_fn(2000, 1, |_, _| 50.0 + 4.0 * s.normal());
    let data = DatasetRef::new(Features::F64(x.view()));
    let gan = Gan { max_iter: 60, generator: vec![16], discriminator: vec![32], n_latent: 1, n_modes: 4, ..Gan::default() };
    let model = gan.fit_with(&data, &Context::default()).unwrap();
    let made = model.sample(4000, 3).unwrap();
    let mean = made.as_slice().iter().sum::<f64>() / 4000.0;
    let deviation = (made.as_slice().iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 4000.0).sqrt();
    assert!((mean - 50.0).abs() < 1.5 && (deviation - 4.0).abs() < 1.5, "{mean} {deviation}");
    assert!(made == model.sample(4000, 3).unwrap() && made != model.sample(4000, 4).unwrap());
    // Where both densities agree, D is near a half and the value near -log 4.
    let d = model.transform(&data.x).unwrap();
    let middle = d.as_slice().iter().sum::<f64>() / 2000.0;
    assert!((middle - 0.5).abs() < 0.15, "{middle}");
    let trace = model.trace().unwrap();
    let objective = trace.column("objective").unwrap();
    assert!((objective[objective.len() - 1] + 4f64.ln()).abs() < 0.3, "{objective:?}");
    // The gap shrinks from the first estimate on, and is no more negative than samples are noisy.
    let gaps: Vec<f64> = trace.column("duality_gap").unwrap().into_iter().filter(|g| g.is_finite()).collect();
    assert!(gaps.iter().all(|g| *g > -0.1), "{gaps:?}");
    assert!(model.coverage().unwrap() >= 0.75);
}

#[test]
fn hostile_images_and_layers_are_answered_with_their_place() {
    let (x, y) = signs(60, 4);
    for bad in [f32::NAN, f32::INFINITY] {
        let mut x = x.clone();
        x[(41, 77)] = bad;
        let data = DatasetRef::new(Features::F32(x.view())).with_target(y.view());
        let e = ConvNet::default().fit_with(&data, &Context::default()).unwrap_err().to_string();
        assert!(e.contains("row 41") && e.contains("column 77"), "{e}");
        let e = Autoencoder::default()
            .fit_with(&DatasetRef::new(Features::F32(x.view())), &Context::default())
            .unwrap_err()
            .to_string();
        assert!(e.contains("row 41") && e.contains("column 77"), "{e}");
    }
    let data = DatasetRef::new(Features::F32(x.view())).with_target(y.view());
    let net = |layers: &str, batch_size: usize| {
        ConvNet { layers: Some(layers.parse().unwrap()), batch_size, max_iter: 2, ..ConvNet::default() }
            .fit_with(&data, &Context::default())
    };
    // One image has many pixels to normalize a channel by; one row of plain numbers has not.
    let model = net("conv(4,3) batchnorm relu pool(2)", 1).unwrap();
    assert!(model.network().is_finite() && model.losses().iter().all(|l| l.is_finite()));
    let e = net("conv(4,3) relu globalpool batchnorm", 1).unwrap_err().to_string();
    assert!(e.contains("at least 2 rows") && e.contains("batch_size"), "{e}");
    for (layers, place) in [("conv(0,3)", "layer 1, conv(0,3)"), ("conv(4,3) relu dense(0)", "layer 3, dense(0)")] {
        let e = net(layers, 16).unwrap_err().to_string();
        assert!(e.contains(place) && e.contains("at least 1"), "{e}");
    }
    let wild = ConvNet { learning_rate_init: 1e6, max_iter: 5, ..ConvNet::default() };
    let model = wild.fit_with(&data, &Context::default()).unwrap();
    let notes = &model.certificate().unwrap().notes;
    assert!(notes[0].contains("diverged") && model.network().is_finite(), "{notes:?}");
}

/// All of Fashion-MNIST, where `ERMINE_DATA` has it: 28 x 28 images of ten kinds of clothes.
#[test]
#[ignore = "minutes; needs ERMINE_DATA"]
fn clothes_are_told_apart() {
    let Ok(folder) = std::env::var("ERMINE_DATA") else { return };
    let bytes = |name: &str| ermine_fixtures::bytes(format!("{folder}/fashion_mnist/{name}"));
    let load = |part: &str| {
        let images = bytes(&format!("{part}-images-idx3-ubyte.gz"));
        let labels = bytes(&format!("{part}-labels-idx1-ubyte.gz"));
        let x: Vec<f32> = images[16..].iter().map(|b| f32::from(*b) / 255.0).collect();
        let y: Vec<u32> = labels[8..].iter().map(|b| u32::from(*b)).collect();
        (Mat::from_vec(y.len(), 784, x), y)
    };
    let ((x, y), (u, v)) = (load("train"), load("t10k"));
    let names: Vec<String> = (0..10).map(|k| k.to_string()).collect();
    let data = DatasetRef::new(Features::F32(x.view())).with_target(Target::Class { codes: &y, names: &names });
    let score = |model: &dyn Classifier| {
        let predicted = model.classify(&Features::F32(u.view())).unwrap();
        predicted.iter().zip(&v).filter(|(a, b)| a == b).count() as f64 / v.len() as f64
    };
    let mlp = ermine_neural::Mlp {
        hidden_layer_sizes: vec![256, 128],
        batch_size: Some(128),
        max_iter: 20,
        learning_rate: ermine_neural::ScheduleName::Cosine,
        dropout: 0.2,
        ..ermine_neural::Mlp::default()
    };
    let mlp_score = score(&mlp.fit_with(&data, &Context::default()).unwrap());
    println!("mlp: {mlp_score}");
    assert!(mlp_score >= 0.885, "mlp: {mlp_score}");
    let net = ConvNet { max_iter: 12, ..ConvNet::default() };
    let net_score = score(&net.fit_with(&data, &Context::default()).unwrap());
    println!("convnet: {net_score}");
    assert!(net_score >= 0.905, "convnet: {net_score}");
}
