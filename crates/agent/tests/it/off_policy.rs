//! Off-policy evaluation and streams of choices against reference values (`fixtures/agent`, computed with numpy 2.4.6).

use ermine_agent::bandit::{AnyPolicy, ConfidenceWidth, LinUcb, LoggedRound, Policy, Stationary, Ucb, off_policy, replay};
use ermine_core::{Error, RngStream};

fn rows(name: &str) -> Vec<Vec<f64>> {
    let text = ermine_fixtures::text(&format!("agent/{name}.csv.gz"));
    text.lines().skip(1).map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect()).collect()
}

fn log(name: &str) -> Vec<LoggedRound> {
    rows(name).iter().map(|r| LoggedRound { arm: r[0] as usize, reward: r[2], propensity: r[3] }).collect()
}

#[track_caller]
fn close(found: f64, expected: f64) {
    ermine_fixtures::near(found, expected, 1e-9, "estimate");
}

const ITEMS: usize = 80;

#[test]
fn the_random_log_tells_what_groups_of_items_earn() {
    let random = log("open_bandit_random");
    close(random.iter().map(|e| e.reward).sum::<f64>() / 1e4, 0.0038);
    for (group, (ips, error, snips, size)) in [
        (0.0016, 0.001131314274283994, 0.001568627450980392, 1275.0),
        (0.0088, 0.002651972717795112, 0.008283132530120483, 1328.0),
        (0.0048, 0.00195910178601848, 0.004858299595141701, 1235.0),
        (0.0008, 0.0008, 0.0008503401360544217, 1176.0),
        (0.004, 0.001788496539551363, 0.003996802557953637, 1251.0),
        (0.0048, 0.00195910178601848, 0.0050041701417848205, 1199.0),
        (0.0032, 0.001599759957991298, 0.003127443315089914, 1279.0),
        (0.0024, 0.0013855020612024219, 0.002386634844868735, 1257.0),
    ]
    .into_iter()
    .enumerate()
    {
        let estimates = off_policy(&random, ITEMS, |_, arm| if arm % 8 == group { 0.1 } else { 0.0 }).unwrap();
        close(estimates.ips.value, ips);
        close(estimates.ips.error, error);
        close(estimates.snips.value, snips);
        close(estimates.effective_size, size);
        assert!(estimates.notes.iter().any(|n| n.contains("intervals are rough")), "{:?}", estimates.notes);
        // The three agree within their intervals.
        assert!(estimates.doubly_robust.low <= estimates.snips.value && estimates.snips.value <= estimates.doubly_robust.high);
    }
    // The item that looked best on the even rows, judged on the odd ones.
    let (mut clicks, mut shows) = (vec![0.0; ITEMS], vec![0.0; ITEMS]);
    for entry in random.iter().step_by(2) {
        clicks[entry.arm] += entry.reward;
        shows[entry.arm] += 1.0;
    }
    let rate = |arm: usize| (clicks[arm] + 1.0) / (shows[arm] + 2.0);
    let best = (1..ITEMS).fold(0, |best, arm| if rate(arm) > rate(best) { arm } else { best });
    assert_eq!(best, 53);
    let odd: Vec<LoggedRound> = random.iter().skip(1).step_by(2).copied().collect();
    let estimates = off_policy(&odd, ITEMS, |_, arm| f64::from(arm == best)).unwrap();
    close(estimates.ips.value, 0.016);
    close(estimates.snips.value, 0.017543859649122806);
}

#[test]
fn the_thompson_log_tells_what_uniform_choices_earn() {
    let bts = log("open_bandit_bts");
    close(bts.iter().map(|e| e.reward).sum::<f64>() / 1e4, 0.0042);
    let estimates = off_policy(&bts, ITEMS, |_, _| 1.0 / ITEMS as f64).unwrap();
    close(estimates.ips.value, 0.0023596395168460037);
    close(estimates.snips.value, 0.0023337138931618065);
}

/// What Bernoulli Thompson sampling chose, as shares of the items in its own log, is estimated from the random log; all intervals hold the
/// mean that its own log shows. There are few clicks, and it is said.
#[test]
fn intervals_from_the_random_log_hold_the_thompson_log_s_own_mean() {
    let (random, bts) = (log("open_bandit_random"), log("open_bandit_bts"));
    let mut shares = vec![0.0; ITEMS];
    bts.iter().for_each(|e| shares[e.arm] += 1.0 / bts.len() as f64);
    let total: f64 = shares.iter().sum();
    shares.iter_mut().for_each(|s| *s /= total);
    let own = 0.0042;
    let estimates = off_policy(&random, ITEMS, |_, arm| shares[arm]).unwrap();
    for estimate in [estimates.ips, estimates.snips, estimates.doubly_robust] {
        assert!(estimate.low <= own && own <= estimate.high, "{estimate:?}");
    }
    let mut policy: AnyPolicy = Stationary::new(shares).unwrap().into();
    let replayed = replay(&random, &mut policy, |_| &[], 1).unwrap();
    assert!(replayed.matched > 80 && replayed.matched < 200, "{}", replayed.matched);
    assert!(replayed.estimate.low <= own && own <= replayed.estimate.high, "{replayed:?}");
}

#[test]
fn logs_that_do_not_say_enough_are_refused() {
    let entry = |arm, reward, propensity| LoggedRound { arm, reward, propensity };
    let uniform = |_: usize, _: usize| 0.5;
    let missing = [entry(0, 1.0, 0.5), entry(1, 0.0, f64::NAN), entry(1, 0.0, f64::NAN)];
    let error = off_policy(&missing, 2, uniform).unwrap_err();
    assert!(matches!(error, Error::Row { row: 1, .. }) && error.to_string().contains("missing (2 such rows)"), "{error}");
    assert!(off_policy(&[entry(0, 1.0, 0.0)], 2, uniform).unwrap_err().to_string().contains("is 0"));
    assert!(off_policy(&[entry(2, 1.0, 0.5)], 2, uniform).unwrap_err().to_string().contains("no arm 2"));
    assert!(off_policy(&[entry(0, f64::NAN, 0.5)], 2, uniform).is_err());
    assert!(off_policy(&[], 2, uniform).is_err());
    assert!(off_policy(&[entry(0, 1.0, 0.5)], 0, uniform).is_err());
    assert!(off_policy(&[entry(0, 1.0, 0.5)], 2, |_, _| 0.4).unwrap_err().to_string().contains("0.8"));
    assert!(off_policy(&[entry(0, 1.0, 0.5)], 2, |_, _| f64::NAN).is_err());
    let never = off_policy(&[entry(0, 1.0, 0.5), entry(0, 0.0, 0.5)], 2, |_, arm| arm as f64).unwrap();
    assert!(never.snips.value.is_nan() && never.notes.iter().any(|n| n.contains("nothing is known")));
    // No click in twenty rounds: that there is none at all is not known.
    let silent = off_policy(&[entry(0, 0.0, 0.5); 20], 2, uniform).unwrap();
    assert_eq!(silent.ips.value, 0.0);
    assert!(silent.ips.high > 0.1 && silent.snips.high > 0.1 && silent.doubly_robust.high > 0.1, "{silent:?}");
    let mut policy: AnyPolicy = Stationary::new(vec![0.0, 1.0]).unwrap().into();
    assert!(replay(&[entry(0, 1.0, f64::NAN)], &mut policy, |_| &[], 0).unwrap_err().to_string().contains("none"));
    // Replay needs no propensities.
    assert_eq!(replay(&[entry(1, 1.0, f64::NAN)], &mut policy, |_| &[], 0).unwrap().matched, 1);
}

/// Doubly robust estimates of a known world: right on average, and with less spread than weighting alone.
#[test]
fn estimates_are_right_on_average_and_the_doubly_robust_one_is_the_sharpest() {
    let means = [0.8, 0.5, 0.2];
    let behavior = [0.2, 0.3, 0.5];
    let target = [0.7, 0.2, 0.1];
    let truth: f64 = means.iter().zip(target).map(|(m, p)| m * p).sum();
    let (mut covered, mut ips, mut robust) = ([0; 3], Vec::new(), Vec::new());
    for seed in 0..400 {
        let mut rng = RngStream::new(seed, "log", 0);
        let log: Vec<LoggedRound> = (0..400)
            .map(|_| {
                let arm = rng.weighted(&behavior);
                LoggedRound { arm, reward: f64::from(rng.uniform() < means[arm]), propensity: behavior[arm] }
            })
            .collect();
        let estimates = off_policy(&log, 3, |_, arm| target[arm]).unwrap();
        for (count, e) in covered.iter_mut().zip([estimates.ips, estimates.snips, estimates.doubly_robust]) {
            *count += usize::from(e.low <= truth && truth <= e.high);
        }
        ips.push(estimates.ips.value);
        robust.push(estimates.doubly_robust.value);
    }
    // 95 % of 400 is 380; four standard errors below is 363.
    assert!(covered.iter().all(|c| *c >= 363), "{covered:?}");
    let moments = |values: &[f64]| {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        (mean, (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt())
    };
    let ((a, spread), (b, less)) = (moments(&ips), moments(&robust));
    assert!((a - truth).abs() < 4.0 * spread / 20.0 && (b - truth).abs() < 4.0 * less / 20.0, "{a} {b} {truth}");
    assert!(less < 0.8 * spread, "{less} {spread}");
}

/// A stream of classes as a bandit: the arm is the guess, the reward whether it was right.
fn stream(policy: &mut AnyPolicy, contexts: &[Vec<f64>], classes: &[usize]) -> (u64, [u64; 4], Vec<u64>) {
    let mut rng = RngStream::new(0, "stream", 0);
    let (mut total, mut after, mut pulls) = (0, [0; 4], vec![0; 7]);
    for (row, (context, &class)) in contexts.iter().zip(classes).enumerate() {
        let choice = policy.choose(context, &mut rng);
        let right = choice.arm == class;
        policy.learn(context, choice, f64::from(right)).unwrap();
        total += u64::from(right);
        pulls[choice.arm] += 1;
        if (row + 1) % 2500 == 0 {
            after[row / 2500] = total;
        }
    }
    (total, after, pulls)
}

#[test]
fn streams_of_cover_types_are_the_reference_s() {
    let data = rows("covtype_10000");
    let classes: Vec<usize> = data.iter().map(|r| r[10] as usize - 1).collect();
    let mut ucb1: AnyPolicy = Ucb::new(7, ConfidenceWidth::Logarithm { c: 2.0 }).unwrap().into();
    let (total, after, pulls) = stream(&mut ucb1, &vec![Vec::new(); data.len()], &classes);
    assert_eq!((total, after), (3579, [985, 2131, 2752, 3579]));
    assert_eq!(pulls, [704, 1829, 483, 3319, 1613, 840, 1212]);
    let n = data.len() as f64;
    let moments: Vec<(f64, f64)> = (0..10)
        .map(|c| {
            let mean = data.iter().map(|r| r[c]).sum::<f64>() / n;
            (mean, (data.iter().map(|r| (r[c] - mean).powi(2)).sum::<f64>() / n).sqrt())
        })
        .collect();
    let context = |r: &Vec<f64>| std::iter::once(1.0).chain((0..10).map(|c| (r[c] - moments[c].0) / moments[c].1)).collect();
    let contexts: Vec<Vec<f64>> = data.iter().map(context).collect();
    let mut linucb: AnyPolicy = LinUcb::new(7, 11, false, 0.5, 1.0).unwrap().into();
    let (total, after, _) = stream(&mut linucb, &contexts, &classes);
    for (found, expected) in after.iter().zip([1584.0, 3238.0, 4395.0, 5846.0]) {
        assert!((*found as f64 - expected).abs() <= 0.005 * expected, "{after:?}");
    }
    assert!((total as f64 - 5846.0).abs() <= 0.005 * 5846.0, "{total}");
}
