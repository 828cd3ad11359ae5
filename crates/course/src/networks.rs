//! Chapter 10: networks.

use ermine_core::{Mat, Result, RngStream};
use ermine_math::linalg::{eigen_symmetric, product, svd};
use ermine_math::optimize::constrained::{QpMethod, QuadraticProgram};
use ermine_math::probability::jensen_shannon;
use ermine_report::chart::{Chart, Series};

use crate::algebra::{dot, gram, least_squares, max_abs, mean_and_error, solve, sub, times};
use crate::check::TheoremCheck;
use crate::data::line_data;
use crate::theorem::{Chapter, Theorem, TheoremRun, real, whole};

pub(crate) const CHAPTER: Chapter = Chapter {
    number: 10,
    title: "Networks",
    theorems: &[
        Theorem::new(
            "T10.1",
            "Back-propagation, δ_t = h'(a_t) Σ w_ts δ_s, gives the gradient",
            "000 L5; 001 §9.2; 002 §10.1.2; 003 §5.2",
            "algorithm in the open",
            &[whole("inputs", 3, 1, 6, "inputs"), whole("hidden", 5, 1, 10, "units of each of two hidden layers")],
            false,
            back_propagation,
        ),
        Theorem::new(
            "T10.2",
            "Without activations any depth is one linear map, of a rank of at most the narrowest width",
            "000 L5; 001 §9",
            "linalg::svd",
            &[
                whole("inputs", 6, 2, 10, "inputs"),
                whole("narrow", 2, 1, 5, "width of the narrowest layer"),
                whole("depth", 4, 2, 8, "layers"),
            ],
            false,
            linear_network,
        ),
        Theorem::new(
            "T10.3",
            "Maurey and Barron: M random units of f's representation have E‖f − f_M‖² = (E‖g‖² − ‖f‖²)/M; for f(x) = x by steps 1/(6M)",
            "000 L5",
            "algorithm in the open",
            &[whole("units", 10, 1, 100, "M"), whole("draws", 600, 200, 1500, "draws")],
            false,
            maurey,
        ),
        Theorem::new(
            "T10.4",
            "One hidden layer approximates any continuous function on an interval, unless the activation is a polynomial",
            "000 L5; 001 §9.1",
            "algorithm in the open",
            &[whole("width", 4, 3, 10, "units at first; sixteen times as many at last")],
            false,
            universal,
        ),
        Theorem::new(
            "T10.5",
            "Dropout of the inputs of linear least squares (rate p, scaled by 1/(1−p)) costs ‖y−Xw‖² + p/(1−p) Σ wⱼ²‖xⱼ‖²",
            "001 §9.3; 002 §10.1.3",
            "algorithm in the open",
            &[whole("n", 30, 10, 60, "rows"), real("p", 0.3, 0.05, 0.7, "drop rate"), whole("draws", 600, 300, 1500, "masks")],
            false,
            dropout,
        ),
        Theorem::new(
            "T10.6",
            "A convolution has ⌊(n + 2p − f)/s⌋ + 1 outputs, and commutes with shifts",
            "001 §9.4; 003 §5.3",
            "algorithm in the open",
            &[
                whole("n", 20, 12, 60, "inputs"),
                whole("f", 3, 1, 7, "filter"),
                whole("padding", 1, 0, 3, "padding"),
                whole("stride", 2, 1, 4, "stride"),
            ],
            false,
            convolution,
        ),
        Theorem::new(
            "T10.7",
            "A linear autoencoder spans the space of the first principal components; its loss is never below theirs",
            "001 §10.3; 000 L6",
            "linalg::eigen_symmetric",
            &[whole("n", 60, 20, 200, "rows"), whole("p", 5, 3, 8, "columns"), whole("steps", 60, 30, 150, "rounds")],
            false,
            autoencoder,
        ),
        Theorem::new(
            "T10.8",
            "The best discriminator is p/(p+q), with the value −ln 4 + 2 JS ≥ −ln 4",
            "001 §15",
            "probability::jensen_shannon",
            &[
                real("gap", 1.0, 0.0, 4.0, "distance of the densities"),
                real("sd", 1.5, 0.5, 3.0, "standard deviation of the second"),
            ],
            false,
            discriminator,
        ),
        Theorem::new(
            "T10.9",
            "The duality gap max_D' V(G, D') − min_G' V(G', D) is at least 0, and 0 at an equilibrium",
            "001 §15",
            "QuadraticProgram",
            &[whole("rows", 3, 2, 6, "strategies of D"), whole("cols", 4, 2, 6, "strategies of G")],
            false,
            duality_gap,
        ),
        Theorem::new(
            "T10.10",
            "A start with variance 2/fan-in keeps the second moment of ReLU layers, 1/fan-in that of linear ones",
            "002 §10.1.3; 001 §9.3",
            "algorithm in the open",
            &[
                whole("width", 40, 20, 80, "units per layer"),
                whole("depth", 5, 1, 8, "layers"),
                whole("draws", 80, 60, 150, "starts"),
            ],
            false,
            initialization,
        ),
    ],
};

/// A network of tanh layers and a linear output, one matrix per layer with the bias in front.
struct SmallNetwork(Vec<Mat<f64>>);

impl SmallNetwork {
    fn random(sizes: &[usize], stream: &mut RngStream) -> Self {
        Self(sizes.windows(2).map(|s| Mat::from_fn(s[1], s[0] + 1, |_, _| 0.7 * stream.normal())).collect())
    }

    /// The values of all layers.
    fn forward(&self, x: &[f64]) -> Vec<Vec<f64>> {
        let mut layers = vec![x.to_vec()];
        for (l, w) in self.0.iter().enumerate() {
            let below = &layers[l];
            let value = |i: usize| w[(i, 0)] + dot(&w.row(i)[1..], below);
            let last = l + 1 == self.0.len();
            layers.push((0..w.rows()).map(|i| if last { value(i) } else { value(i).tanh() }).collect());
        }
        layers
    }

    fn loss(&self, x: &[f64], y: f64) -> f64 {
        0.5 * (self.forward(x)[self.0.len()][0] - y).powi(2)
    }

    /// Gradients of the loss, layer by layer, by back-propagation.
    fn gradient(&self, x: &[f64], y: f64) -> Vec<Mat<f64>> {
        let layers = self.forward(x);
        let mut delta = vec![layers[self.0.len()][0] - y];
        let mut out = Vec::new();
        for l in (0..self.0.len()).rev() {
            let (w, below) = (&self.0[l], &layers[l]);
            out.push(Mat::from_fn(w.rows(), w.cols(), |i, j| delta[i] * if j == 0 { 1.0 } else { below[j - 1] }));
            delta = (0..below.len())
                .map(|t| (1.0 - below[t] * below[t]) * (0..w.rows()).map(|s| w[(s, t + 1)] * delta[s]).sum::<f64>())
                .collect();
        }
        out.reverse();
        out
    }
}

fn back_propagation(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (inputs, hidden) = (run.whole("inputs"), run.whole("hidden"));
    let mut stream = run.stream(0);
    let mut net = SmallNetwork::random(&[inputs, hidden, hidden, 1], &mut stream);
    let x: Vec<f64> = (0..inputs).map(|_| stream.normal()).collect();
    let g = net.gradient(&x, 0.5);
    let mut worst = 0.0f64;
    for l in 0..net.0.len() {
        for i in 0..net.0[l].rows() {
            for j in 0..net.0[l].cols() {
                let w = net.0[l][(i, j)];
                net.0[l][(i, j)] = w + 1e-5;
                let up = net.loss(&x, 0.5);
                net.0[l][(i, j)] = w - 1e-5;
                let down = net.loss(&x, 0.5);
                net.0[l][(i, j)] = w;
                worst = worst.max(((up - down) / 2e-5 - g[l][(i, j)]).abs());
            }
        }
    }
    let size = g.iter().map(|g| max_abs(g.as_slice())).fold(0.0, f64::max);
    let mut check = TheoremCheck::new();
    check.assume("the activations are differentiable (tanh)", true);
    check.zero("largest difference quotient less back-propagated slope", worst, 1e-6 * (1.0 + size));
    Ok(check)
}

fn linear_network(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (inputs, narrow, depth) = (run.whole("inputs"), run.whole("narrow"), run.whole("depth"));
    let mut stream = run.stream(0);
    let width = |l: usize| {
        if l == 0 || l == depth {
            inputs
        } else if l == 1 {
            narrow
        } else {
            inputs + 2
        }
    };
    let layers: Vec<Mat<f64>> = (0..depth).map(|l| Mat::from_fn(width(l + 1), width(l), |_, _| stream.normal())).collect();
    let x: Vec<f64> = (0..inputs).map(|_| stream.normal()).collect();
    let through = layers.iter().fold(x.clone(), |v, w| times(w, &v));
    let whole = layers[1..].iter().fold(layers[0].clone(), |m, w| product(w.view(), m.view()));
    let s = svd(whole.view())?;
    let rank = s.values.iter().filter(|v| **v > 1e-10 * s.values[0]).count();
    let mut check = TheoremCheck::new();
    check.assume("no activations, no biases", true);
    check.zero(
        "output layer by layer less output of the product",
        max_abs(&sub(&through, &times(&whole, &x))),
        1e-9 * (1.0 + max_abs(&through)),
    );
    check.at_most("rank of the product against the narrowest width", rank as f64, narrow.min(inputs) as f64);
    Ok(check)
}

fn maurey(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let units = run.whole("units");
    let mut stream = run.stream(0);
    // x = ∫ 1[t ≤ x] dt: the units are steps at uniform places.
    let error = |places: &mut Vec<f64>| {
        places.sort_by(f64::total_cmp);
        let m = places.len() as f64;
        let mut total = 0.0;
        let mut from = 0.0;
        for (k, to) in places.iter().copied().chain([1.0]).enumerate() {
            // ∫ (x − k/m)² over the piece.
            let c = k as f64 / m;
            total += ((to - c).powi(3) - (from - c).powi(3)) / 3.0;
            from = to;
        }
        total
    };
    let draws: Vec<f64> = (0..run.whole("draws")).map(|_| error(&mut (0..units).map(|_| stream.uniform()).collect())).collect();
    let mut check = TheoremCheck::new();
    check.assume("f is a mean of the units", true);
    check.simulated("mean of ‖f − f_M‖² and 1/(6M)", mean_and_error(&draws), 1.0 / (6.0 * units as f64));
    // E‖g‖² = ∫∫ 1[t ≤ x] = ½, ‖f‖² = 1/3.
    check.equal("(E‖g‖² − ‖f‖²)/M", (0.5 - 1.0 / 3.0) / units as f64, 1.0 / (6.0 * units as f64), 1e-12);
    Ok(check)
}

fn universal(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let first = run.whole("width");
    let f = |x: f64| (6.0 * x).sin() + x.abs();
    // ReLU units at equal places, with the coefficients that interpolate: piecewise linear.
    let error = |units: usize| {
        let at = |k: usize| -1.0 + 2.0 * k as f64 / units as f64;
        let slope = |k: usize| (f(at(k + 1)) - f(at(k))) / (at(k + 1) - at(k));
        let coefficient: Vec<f64> = (0..units).map(|k| if k == 0 { slope(0) } else { slope(k) - slope(k - 1) }).collect();
        let net = |x: f64| f(-1.0) + (0..units).map(|k| coefficient[k] * (x - at(k)).max(0.0)).sum::<f64>();
        (0..=400).map(|i| -1.0 + f64::from(i) / 200.0).map(|x| (f(x) - net(x)).abs()).fold(0.0, f64::max)
    };
    let widths: Vec<usize> = (0..5).map(|d| first << d).collect();
    let curve: Vec<(f64, f64)> = widths.iter().map(|w| (*w as f64, error(*w))).collect();
    // Units with the activation t² span parabolas, whatever their number.
    let grid: Vec<f64> = (0..=100).map(|i| -1.0 + f64::from(i) / 50.0).collect();
    let parabola = Mat::from_fn(101, 3, |i, j| grid[i].powi(j as i32));
    let target: Vec<f64> = grid.iter().map(|x| f(*x)).collect();
    let rest = max_abs(&sub(&target, &times(&parabola, &least_squares(&parabola, &target)?)));
    let mut check = TheoremCheck::new();
    check.assume("f is continuous, the activation is no polynomial", true);
    check.trend("largest error by width, first and last", curve[0].1, curve[4].1);
    check.note(format!("with the activation t² any width leaves an error of about {rest:.3}"));
    check.draw(Chart::new("Error by width", "units", "largest error").log_x().log_y().with(Series::line("ReLU", curve)));
    Ok(check)
}

fn dropout(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (n, p) = (run.whole("n"), run.real("p"));
    let mut stream = run.stream(0);
    let data = line_data(n, 3, 1.0, &mut stream);
    let w = [0.8, -0.5, 0.3];
    let losses: Vec<f64> = (0..run.whole("draws"))
        .map(|_| {
            (0..n)
                .map(|i| {
                    let z: f64 = (0..3).map(|j| if stream.uniform() < p { 0.0 } else { data.x[(i, j)] * w[j] / (1.0 - p) }).sum();
                    (data.y[i] - z).powi(2)
                })
                .sum()
        })
        .collect();
    let plain: f64 = sub(&data.y, &times(&data.x, &w)).iter().map(|r| r * r).sum();
    let penalty: f64 = (0..3).map(|j| w[j] * w[j] * data.x.view().col_iter(j).map(|v| v * v).sum::<f64>()).sum();
    let mut check = TheoremCheck::new();
    check.assume("linear, squares, masks on the inputs", true);
    let (m, e) = mean_and_error(&losses);
    check.simulated("mean loss under dropout and the formula", (m, e), plain + p / (1.0 - p) * penalty);
    check.note(format!("without the penalty it would be {plain:.2}; the standard error is {e:.2}"));
    // Testing without masks needs the factor 1 − p for weights that were trained without scaling.
    let scale: f64 = (0..3).map(|j| data.x[(0, j)] * w[j]).sum();
    check.misprint("weights times p at test, p being the drop rate; output of the first row", (1.0 - p) * scale, p * scale);
    Ok(check)
}

fn convolution(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (n, f, padding, stride) = (run.whole("n"), run.whole("f"), run.whole("padding"), run.whole("stride"));
    let mut stream = run.stream(0);
    let (x, w): (Vec<f64>, Vec<f64>) = ((0..n).map(|_| stream.normal()).collect(), (0..f).map(|_| stream.normal()).collect());
    let convolve = |x: &[f64], stride: usize| -> Vec<f64> {
        let padded: Vec<f64> =
            std::iter::repeat_n(0.0, padding).chain(x.iter().copied()).chain(std::iter::repeat_n(0.0, padding)).collect();
        padded.windows(f).step_by(stride).map(|v| dot(v, &w)).collect()
    };
    let mut check = TheoremCheck::new();
    check.equal(
        "outputs against ⌊(n+2p−f)/s⌋ + 1",
        convolve(&x, stride).len() as f64,
        ((n + 2 * padding - f) / stride + 1) as f64,
        0.0,
    );
    let mut shifted = x.clone();
    shifted.rotate_right(1);
    let (plain, moved) = (convolve(&x, 1), convolve(&shifted, 1));
    // Away from the borders.
    let edge = f + padding + 1;
    let worst = (edge..plain.len().saturating_sub(edge)).map(|i| (moved[i] - plain[i - 1]).abs()).fold(0.0, f64::max);
    check.assume("stride 1, away from the borders, for the shift", edge < plain.len().saturating_sub(edge));
    check.zero("convolution of the shifted input less the shifted convolution", worst, 1e-12);
    Ok(check)
}

fn autoencoder(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (n, p) = (run.whole("n"), run.whole("p"));
    let mut stream = run.stream(0);
    let mut data = line_data(n, p, 1.0, &mut stream).centered();
    (0..n).for_each(|i| (0..p).for_each(|j| data.x[(i, j)] *= if j < 2 { 3.0 - j as f64 } else { 0.5 }));
    let eigen = eigen_symmetric(gram(&data.x, 0.0).view())?;
    let best: f64 = eigen.values[2..].iter().sum();
    // Alternating least squares for X ≈ (X E) D: codes for a decoder, then a decoder for the codes.
    let mut decoder = Mat::from_fn(2, p, |_, _| stream.normal());
    let mut trace = Vec::new();
    for _ in 0..run.whole("steps") {
        let g = product(decoder.view(), decoder.view().t());
        let codes =
            Mat::from_vec(n, 2, (0..n).map(|i| solve(&g, &times(&decoder, data.x.row(i)))).collect::<Result<Vec<_>>>()?.concat());
        let h = gram(&codes, 0.0);
        for j in 0..p {
            let column: Vec<f64> = data.x.view().col_iter(j).collect();
            let d = solve(&h, &crate::algebra::transposed_times(&codes, &column))?;
            (decoder[(0, j)], decoder[(1, j)]) = (d[0], d[1]);
        }
        let back = product(codes.view(), decoder.view());
        trace.push(sub(data.x.as_slice(), back.as_slice()).iter().map(|v| v * v).sum::<f64>());
    }
    let last = trace[trace.len() - 1];
    // The part of the decoder outside the plane of the components.
    let outside = (0..2).map(|k| {
        let row = decoder.row(k);
        let inside: f64 = (0..2).map(|c| dot(eigen.vectors.row(c), row).powi(2)).sum();
        (dot(row, row) - inside).max(0.0) / dot(row, row)
    });
    let mut check = TheoremCheck::new();
    check.assume("the eigenvalues are distinct", eigen.values[1] > 1.0001 * eigen.values[2]);
    check.at_most("loss of the principal components against the autoencoder's", best, last);
    check.trend("excess of the loss, first and last", trace[0] - best, last - best);
    check.note(format!(
        "share of the decoder outside the plane of the components: {:.1e}; its axes are not theirs",
        outside.fold(0.0, f64::max)
    ));
    Ok(check)
}

fn discriminator(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (gap, sd) = (run.real("gap"), run.real("sd"));
    let mass = |m: f64, s: f64| -> Vec<f64> {
        let raw: Vec<f64> = (-600..=600).map(|k| f64::from(k) / 50.0).map(|x| (-0.5 * ((x - m) / s).powi(2)).exp()).collect();
        let total: f64 = raw.iter().sum();
        raw.iter().map(|v| v / total).collect()
    };
    let (p, q) = (mass(0.0, 1.0), mass(gap, sd));
    let value = |d: &dyn Fn(usize) -> f64| -> f64 {
        (0..p.len())
            .map(|i| if p[i] > 0.0 { p[i] * d(i).ln() } else { 0.0 } + if q[i] > 0.0 { q[i] * (1.0 - d(i)).ln() } else { 0.0 })
            .sum()
    };
    let best = |i: usize| (p[i] / (p[i] + q[i])).clamp(1e-300, 1.0 - 1e-16);
    let mut check = TheoremCheck::new();
    check.assume("both densities are known", true);
    check.equal("value of p/(p+q) against −ln 4 + 2 JS", value(&best), -4f64.ln() + 2.0 * jensen_shannon(&p, &q), 1e-9);
    check.at_most("−ln 4 against the value", -4f64.ln(), value(&best) + 1e-12);
    for shift in [0.3, -0.3] {
        // The log odds moved.
        let other = |i: usize| {
            let d = best(i).clamp(1e-12, 1.0 - 1e-12);
            1.0 / (1.0 + ((1.0 - d) / d) * f64::exp(shift))
        };
        check.at_most(format!("value with log odds moved by {shift} against the best"), value(&other), value(&best));
    }
    Ok(check)
}

fn duality_gap(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (rows, cols) = (run.whole("rows"), run.whole("cols"));
    let mut stream = run.stream(0);
    let v = Mat::from_fn(rows, cols, |_, _| stream.normal());
    // D mixes rows and maximizes, G mixes columns and minimizes.
    let gap = |d: &[f64], g: &[f64]| {
        let best_d = times(&v, g).into_iter().fold(f64::NEG_INFINITY, f64::max);
        let best_g = crate::algebra::transposed_times(&v, d).into_iter().fold(f64::INFINITY, f64::min);
        best_d - best_g
    };
    // G's side of the game: min t with V g ≤ t, g on the simplex; the multipliers are D's mixture.
    let below = Mat::from_fn(rows + cols, cols + 1, |i, j| match (i < rows, j < cols) {
        (true, true) => v[(i, j)],
        (true, false) => -1.0,
        (false, true) => -f64::from(j == i - rows),
        (false, false) => 0.0,
    });
    let simplex = Mat::from_fn(1, cols + 1, |_, j| f64::from(j < cols));
    let cost = (0..=cols).map(|j| f64::from(j == cols)).collect();
    let program = QuadraticProgram::new(Mat::zeros(cols + 1, cols + 1), cost)?
        .with_inequalities(below, vec![0.0; rows + cols])?
        .with_equalities(simplex, vec![1.0])?;
    let mut check = TheoremCheck::new();
    check.assume("the inner optima are exact", true);
    let Some(o) = program.solve(QpMethod::InteriorPoint)?.into_optimum() else { return Ok(check) };
    check.zero(
        "gap at the equilibrium",
        gap(&o.multipliers.inequality[..rows], &o.x[..cols]),
        1e-7 * (1.0 + max_abs(v.as_slice())),
    );
    let mut least = f64::INFINITY;
    for _ in 0..50 {
        let mut mix = |k: usize| {
            let raw: Vec<f64> = (0..k).map(|_| stream.uniform()).collect();
            let total: f64 = raw.iter().sum();
            raw.into_iter().map(|v| v / total).collect::<Vec<f64>>()
        };
        let (d, g) = (mix(rows), mix(cols));
        least = least.min(gap(&d, &g));
    }
    check.at_most("0 against the least gap of random strategies", 0.0, least);
    check.note(format!("value of the game {:.4}", o.objective));
    Ok(check)
}

fn initialization(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (width, depth) = (run.whole("width"), run.whole("depth"));
    let mut stream = run.stream(0);
    let mut moment = |scale: f64, relu: bool| -> Vec<f64> {
        (0..run.whole("draws"))
            .map(|_| {
                let mut v: Vec<f64> = vec![1.0; width];
                let mut a = v.clone();
                for _ in 0..depth {
                    a = (0..width)
                        .map(|_| (0..width).map(|j| stream.normal() * v[j]).sum::<f64>() * (scale / width as f64).sqrt())
                        .collect();
                    v = a.iter().map(|a| if relu { a.max(0.0) } else { *a }).collect();
                }
                // Before the activation, over the first layer's: 2 for ReLU with v = 1 as its input.
                dot(&a, &a) / width as f64
            })
            .collect()
    };
    let (linear, relu, small) = (moment(1.0, false), moment(2.0, true), moment(1.0, true));
    let mut check = TheoremCheck::new();
    check.assume("independent weights of mean 0", true);
    check.simulated("linear layers with 1/fan-in: mean square of the last layer", mean_and_error(&linear), 1.0);
    // The first layer sees ones, whose mean square is not halved by a ReLU: 2, and from then on constant.
    check.simulated("ReLU layers with 2/fan-in: mean square of the last layer", mean_and_error(&relu), 2.0);
    check.note(format!("ReLU layers with 1/fan-in: {:.4} after {depth} layers", mean_and_error(&small).0));
    Ok(check)
}
