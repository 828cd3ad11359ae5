use super::*;

#[track_caller]
fn near(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() <= 2e-12 * expected.abs().max(1e-300), "{what}: {found} is not {expected}");
}

fn continuous() -> Vec<(&'static str, Box<dyn Distribution>, f64, f64)> {
    vec![
        ("gaussian", Box::new(Gaussian { mean: 1.0, sd: 2.0 }), -20.0, 22.0),
        ("uniform", Box::new(Uniform { low: -1.0, high: 3.0 }), -1.0, 3.0),
        ("exponential", Box::new(Exponential { rate: 2.0 }), 0.0, 20.0),
        ("gamma", Box::new(Gamma { shape: 2.5, scale: 1.5 }), 0.0, 80.0),
        ("beta", Box::new(Beta { a: 2.0, b: 3.5 }), 0.0, 1.0),
        ("laplace", Box::new(Laplace { mean: -1.0, scale: 0.5 }), -21.0, 19.0),
        ("log-normal", Box::new(LogNormal { mean: 0.2, sd: 0.4 }), 0.0, 30.0),
        ("weibull", Box::new(Weibull { shape: 1.7, scale: 2.0 }), 0.0, 40.0),
    ]
}

fn discrete() -> Vec<(&'static str, Box<dyn Distribution>)> {
    vec![
        ("bernoulli", Box::new(Bernoulli { p: 0.3 })),
        ("binomial", Box::new(Binomial { n: 12, p: 0.35 })),
        ("many trials", Box::new(Binomial { n: 200, p: 0.2 })),
        ("geometric", Box::new(Geometric { p: 0.25 })),
        ("negative binomial", Box::new(NegativeBinomial { r: 2.5, p: 0.4 })),
        ("poisson", Box::new(Poisson { mean: 3.7 })),
        ("categorical", Box::new(Categorical { p: vec![0.2, 0.5, 0.0, 0.3] })),
    ]
}

/// Densities integrate to their tails, moments and entropies, by Simpson's rule.
#[test]
fn densities_tails_moments_and_entropies_agree() {
    for (name, law, low, high) in continuous() {
        let n = 400_000;
        let h = (high - low) / f64::from(n);
        let integral = |f: &dyn Fn(f64) -> f64| {
            let weight = |k: i32| {
                if k == 0 || k == n {
                    1.0
                } else if k % 2 == 1 {
                    4.0
                } else {
                    2.0
                }
            };
            (0..=n).map(|k| weight(k) * f(low + f64::from(k) * h)).sum::<f64>() * h / 3.0
        };
        let p = |x: f64| law.density(x);
        let close = |a: f64, b: f64| (a - b).abs() < 2e-6 * (1.0 + b.abs());
        assert!(close(integral(&p), 1.0), "{name}");
        assert!(close(integral(&|x| x * p(x)), law.mean()), "{name}");
        assert!(close(integral(&|x| (x - law.mean()).powi(2) * p(x)), law.variance()), "{name}");
        let entropy = integral(&|x| if p(x) > 0.0 { -p(x) * p(x).ln() } else { 0.0 });
        assert!(close(entropy, law.entropy()), "{name}: {entropy} {}", law.entropy());
        for q in [1e-9, 0.01, 0.3, 0.5, 0.9, 0.999] {
            let x = law.quantile(q);
            // A place can only be told to its last digit, which is worth so much.
            let digit = f64::EPSILON * x.abs() * p(x);
            assert!((law.cdf(x) - q).abs() <= 2e-12 * q + digit, "{name}: {} is not {q}", law.cdf(x));
            assert!((law.cdf(x) + law.sf(x) - 1.0).abs() < 1e-14, "{name}");
        }
        assert!(law.quantile(-0.1).is_nan() && law.quantile(1.1).is_nan(), "{name}");
    }
}

#[test]
fn probabilities_sum_to_their_tails_moments_and_entropies() {
    for (name, law) in discrete() {
        let (mut sum, mut mean, mut square, mut entropy) = (0.0, 0.0, 0.0, 0.0);
        for k in 0..400 {
            let k = f64::from(k);
            let p = law.density(k);
            sum += p;
            mean += k * p;
            square += k * k * p;
            entropy -= if p > 0.0 { p * p.ln() } else { 0.0 };
            assert!((law.cdf(k) - sum).abs() < 1e-12 && (law.sf(k) - (1.0 - sum)).abs() < 1e-12, "{name} at {k}");
            assert_eq!((law.density(k + 0.5), law.cdf(k + 0.5)), (0.0, law.cdf(k)), "{name}");
        }
        assert!((mean - law.mean()).abs() < 1e-10 && (square - mean * mean - law.variance()).abs() < 1e-9, "{name}");
        assert!((entropy - law.entropy()).abs() < 1e-10, "{name}: {entropy} {}", law.entropy());
        for q in [0.001, 0.2, 0.5, 0.77, 0.999] {
            let k = law.quantile(q);
            assert!(law.cdf(k) >= q && (k == 0.0 || law.cdf(k - 1.0) < q), "{name}: {k} for {q}");
        }
    }
}

/// Values of closed forms: whole shapes are finite sums.
#[test]
fn values_of_closed_forms() {
    // 1 - e^-x (1 + x + x²/2) at x = 2/1.5.
    let z: f64 = 2.0 / 1.5;
    near(Gamma { shape: 3.0, scale: 1.5 }.cdf(2.0), 1.0 - (-z).exp() * (1.0 + z + z * z / 2.0), "gamma");
    // I_x(2, 3) = 6x² - 8x³ + 3x⁴.
    let x: f64 = 0.3;
    near(Beta { a: 2.0, b: 3.0 }.cdf(x), 6.0 * x * x - 8.0 * x.powi(3) + 3.0 * x.powi(4), "beta");
    near(Beta { a: 2.0, b: 3.0 }.density(x), 12.0 * x * (1.0 - x).powi(2), "beta");
    near(Binomial { n: 4, p: 0.25 }.density(2.0), 6.0 * 9.0 / 256.0, "binomial");
    near(Binomial { n: 4, p: 0.25 }.sf(2.0), 13.0 / 256.0, "binomial");
    near(Poisson { mean: 2.0 }.cdf(2.0), 5.0 * (-2f64).exp(), "poisson");
    near(Geometric { p: 0.25 }.sf(3.0), 27.0 / 64.0, "geometric");
    near(NegativeBinomial { r: 2.0, p: 0.5 }.density(3.0), 4.0 / 32.0, "negative binomial");
    near(Cauchy { median: 1.0, scale: 2.0 }.cdf(3.0), 0.75, "cauchy");
    near(Cauchy { median: 0.0, scale: 1.0 }.sf(1e8), 1e-8 / std::f64::consts::PI, "cauchy");
    assert!(Cauchy { median: 0.0, scale: 1.0 }.mean().is_nan());
    near(Weibull { shape: 2.0, scale: 1.0 }.sf(1.5), (-2.25f64).exp(), "weibull");
    near(Weibull { shape: 2.0, scale: 1.0 }.mean(), std::f64::consts::PI.sqrt() / 2.0, "weibull");
    near(Laplace { mean: 0.0, scale: 1.0 }.quantile(0.875), 4f64.ln(), "laplace");
    near(LogNormal { mean: 0.0, sd: 1.0 }.mean(), 0.5f64.exp(), "log-normal");
    near(Exponential { rate: 3.0 }.quantile(0.5), 2f64.ln() / 3.0, "exponential");
    // -γ and -γ - 2 log 2.
    near(digamma(1.0), -EULER, "digamma");
    near(digamma(0.5), -EULER - 2.0 * 2f64.ln(), "digamma");
    near(Gamma { shape: 1.0, scale: 2.0 }.entropy(), 1.0 + 2f64.ln(), "gamma");
}

/// Draws follow their laws: the greatest distance of the empirical distribution function, against its critical value, and the moments.
#[test]
fn draws_follow_their_laws() {
    let n = 20_000;
    let mut laws: Vec<(&str, Box<dyn Distribution>)> = continuous().into_iter().map(|(name, law, _, _)| (name, law)).collect();
    laws.push(("small shape", Box::new(Gamma { shape: 0.4, scale: 2.0 })));
    laws.push(("cauchy", Box::new(Cauchy { median: 1.0, scale: 2.0 })));
    laws.extend(discrete());
    for (k, (name, law)) in laws.iter().enumerate() {
        let mut s = RngStream::new(7, "laws", k as u64);
        let mut x: Vec<f64> = (0..n).map(|_| law.draw(&mut s)).collect();
        ermine_core::order::sort_numbers(&mut x);
        let mut apart: f64 = 0.0;
        for i in 0..n {
            // At steps of discrete laws both functions are compared after the step.
            if i + 1 == n || x[i + 1] > x[i] {
                apart = apart.max(((i + 1) as f64 / n as f64 - law.cdf(x[i])).abs());
            }
        }
        // Exceeded once in a hundred thousand samples.
        assert!(apart < 2.5 / (n as f64).sqrt(), "{name}: {apart}");
        if law.variance().is_finite() {
            let mean = x.iter().sum::<f64>() / n as f64;
            assert!((mean - law.mean()).abs() < 5.0 * (law.variance() / n as f64).sqrt(), "{name}: {mean}");
        }
    }
}

fn law(name: &str, params: &serde_json::Value) -> Box<dyn Distribution> {
    let of = |key: &str| params[key].as_f64().unwrap_or_else(|| panic!("{name} has no {key}"));
    match name {
        "gaussian" => Box::new(Gaussian { mean: of("mean"), sd: of("sd") }),
        "uniform" => Box::new(Uniform { low: of("low"), high: of("high") }),
        "exponential" => Box::new(Exponential { rate: of("rate") }),
        "gamma" => Box::new(Gamma { shape: of("shape"), scale: of("scale") }),
        "beta" => Box::new(Beta { a: of("a"), b: of("b") }),
        "laplace" => Box::new(Laplace { mean: of("mean"), scale: of("scale") }),
        "log_normal" => Box::new(LogNormal { mean: of("mean"), sd: of("sd") }),
        "cauchy" => Box::new(Cauchy { median: of("median"), scale: of("scale") }),
        "weibull" => Box::new(Weibull { shape: of("shape"), scale: of("scale") }),
        "bernoulli" => Box::new(Bernoulli { p: of("p") }),
        "binomial" => Box::new(Binomial { n: of("n") as u64, p: of("p") }),
        "geometric" => Box::new(Geometric { p: of("p") }),
        "negative_binomial" => Box::new(NegativeBinomial { r: of("r"), p: of("p") }),
        "poisson" => Box::new(Poisson { mean: of("mean") }),
        other => panic!("there is no law {other}"),
    }
}

#[test]
fn values_of_scipy() {
    let book = ermine_fixtures::json("reference/probability.json");
    let rel = book["tolerance"]["rel"].as_f64().unwrap();
    let close = |found: f64, expected: &serde_json::Value, what: &str| match expected.as_f64() {
        Some(e) => assert!((found - e).abs() <= rel * e.abs(), "{what}: {found} is not {e}"),
        None => assert!(!found.is_finite(), "{what}: {found}"),
    };
    let cases = book["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 20);
    for case in cases {
        let name = case["law"].as_str().unwrap();
        let law = law(name, &case["params"]);
        let title = format!("{name} {}", case["params"]);
        for at in case["at"].as_array().unwrap() {
            let x = at["x"].as_f64().unwrap();
            close(law.density(x), &at["density"], &format!("density of {title} at {x}"));
            close(law.cdf(x), &at["cdf"], &format!("cdf of {title} at {x}"));
            close(law.sf(x), &at["sf"], &format!("sf of {title} at {x}"));
        }
        for q in case["quantiles"].as_array().unwrap() {
            let p = q["p"].as_f64().unwrap();
            close(law.quantile(p), &q["x"], &format!("quantile of {title} at {p}"));
        }
        close(law.mean(), &case["mean"], &format!("mean of {title}"));
        close(law.variance(), &case["variance"], &format!("variance of {title}"));
        close(law.entropy(), &case["entropy"], &format!("entropy of {title}"));
    }
    let info = &book["information"];
    let list = |key: &str| -> Vec<f64> { info[key].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect() };
    let (p, q, joint) = (list("p"), list("q"), list("joint"));
    use crate::probability as of;
    close(of::entropy(&p), &info["entropy"], "entropy");
    close(of::cross_entropy(&p, &q), &info["cross_entropy"], "cross-entropy");
    close(of::divergence(&p, &q), &info["divergence"], "divergence");
    close(of::jensen_shannon(&p, &q), &info["jensen_shannon"], "Jensen-Shannon");
    close(of::mutual_information(&joint, 3), &info["mutual_information"], "mutual information");
    close(of::conditional_entropy(&joint, 3), &info["conditional_entropy"], "conditional entropy");
}
