//! Dynamic programming against the known optima of the classic worlds, and against its own bounds.

use ermine_agent::env::{Blackjack, BlackjackRules, FrozenLake, GridWorld, Taxi, cliff_walking};
use ermine_agent::mdp::{
    PolicyTable, Transition, Transitions, ValueIteration, backward_induction, evaluate, evaluate_exactly, evaluate_steps,
    policy_iteration,
};

fn lake() -> Transitions {
    table(&FrozenLake::default())
}

fn table(lake: &FrozenLake) -> Transitions {
    Transitions::clone(lake.build().unwrap().transitions())
}

/// Both methods find the value of an episode, and agree on every state.
fn optimum(table: &Transitions, gamma: f64, expected: f64, tolerance: f64) {
    let sweeps = ValueIteration { gamma, ..ValueIteration::default() }.solve(table).unwrap();
    let rounds = policy_iteration(table, gamma, 100).unwrap();
    assert!(sweeps.certificate.converged && rounds.certificate.converged);
    for solution in [&sweeps, &rounds] {
        let value = solution.start_value(table);
        assert!((value - expected).abs() <= tolerance, "gamma {gamma}: {value} for {expected}");
    }
    let size = sweeps.values.iter().fold(1.0, |m: f64, v| m.max(v.abs()));
    for (state, (a, b)) in sweeps.values.iter().zip(&rounds.values).enumerate() {
        assert!((a - b).abs() <= 1e-8 * size, "state {state}: {a} {b}");
    }
    // The policy attains the values, by an independent evaluation.
    let policy = PolicyTable::certain(&sweeps.policy, table.actions()).unwrap();
    let exact = evaluate_exactly(table, &policy, gamma).unwrap().values;
    let attained: f64 = table.start().iter().zip(&exact).map(|(p, v)| p * v).sum();
    assert!((attained - expected).abs() <= tolerance.max(1e-9), "gamma {gamma}: the policy attains {attained}");
}

#[test]
fn frozen_lakes() {
    for (gamma, value) in [(1.0, 14.0 / 17.0), (0.99, 0.54202593), (0.9, 0.06889090)] {
        optimum(&lake(), gamma, value, 6e-9);
    }
    let large = table(&FrozenLake::large());
    for (gamma, value) in [(1.0, 1.0), (0.99, 0.41464036), (0.999, 0.89263549)] {
        optimum(&large, gamma, value, 6e-9);
    }
    // Chance makes sweeps slow, and exact evaluation does not mind.
    let sweeps = ValueIteration::default().solve(&large).unwrap().certificate.iterations;
    let rounds = policy_iteration(&large, 0.99, 100).unwrap().certificate.iterations;
    assert!(rounds * 20 < sweeps, "{rounds} rounds, {sweeps} sweeps");
    // The dry lake with gamma 1 is a trap for a greedy policy that takes the first of equals: it walks in circles.
    let dry = table(&FrozenLake { slippery: false, ..FrozenLake::default() });
    for (gamma, value) in [(1.0, 1.0), (0.99, 0.95099005), (0.95, 0.77378094)] {
        optimum(&dry, gamma, value, 6e-9);
    }
}

#[test]
fn cliffs() {
    let (plain, slippery) = (cliff_walking(false).unwrap(), cliff_walking(true).unwrap());
    for (gamma, value) in [(1.0, -13.0), (0.99, -12.24789770), (0.9, -7.45813417)] {
        optimum(plain.transitions(), gamma, value, 6e-9);
    }
    for (gamma, value) in [(1.0, -64.70917591), (0.99, -46.35267218)] {
        optimum(slippery.transitions(), gamma, value, 6e-9);
    }
    let random = PolicyTable::uniform(48, 4);
    let value = evaluate_exactly(plain.transitions(), &random, 1.0).unwrap().values[36];
    assert!((value + 65_375.0).abs() < 1.0, "{value}");
}

#[test]
fn taxis() {
    let dry = Taxi::new(None, None).unwrap();
    for (gamma, value) in [(1.0, 7.93), (0.99, 6.32746431), (0.9, -1.26332310)] {
        optimum(dry.world().transitions(), gamma, value, 6e-9);
    }
    let rainy = Taxi::new(Some(0.8), None).unwrap();
    optimum(rainy.world().transitions(), 1.0, 3.954575, 6e-7);
}

#[test]
fn blackjack() {
    for (rules, value) in
        [(BlackjackRules::Book, -0.0431131), (BlackjackRules::Plain, -0.0465560), (BlackjackRules::Bonus, -0.0257292)]
    {
        let table = Blackjack::transitions(rules).unwrap();
        let solution = ValueIteration { gamma: 1.0, ..ValueIteration::default() }.solve(&table).unwrap();
        let start_value = solution.start_value(&table);
        assert!((start_value - value).abs() < 6e-8, "{rules:?}: {start_value}");
        // Sutton and Barto, figure 5.2.
        let hits = |sum, dealer, ace| solution.policy[Blackjack::encode(sum, dealer, ace)] == 1;
        for dealer in 1..=10 {
            assert_eq!(hits(18, dealer, true), matches!(dealer, 1 | 9 | 10), "usable 18 against {dealer}");
            assert_eq!(hits(12, dealer, false), !(4..=6).contains(&dealer), "hard 12 against {dealer}");
            for sum in 13..=16 {
                assert_eq!(hits(sum, dealer, false), !(2..=6).contains(&dealer), "hard {sum} against {dealer}");
            }
            assert!(!hits(17, dealer, false) && hits(11, dealer, false) && hits(17, dealer, true) && !hits(19, dealer, true));
        }
    }
}

#[test]
fn limits_of_steps_cost_what_they_should() {
    let (lake, large) = (lake(), table(&FrozenLake::large()));
    let start = |table: &Transitions, values: &[f64]| -> f64 { table.start().iter().zip(values).map(|(p, v)| p * v).sum() };
    let within = |table: &Transitions, gamma: f64, steps: usize| {
        let policy = ValueIteration { gamma, ..ValueIteration::default() }.solve(table).unwrap().policy;
        start(table, &evaluate_steps(table, &PolicyTable::certain(&policy, 4).unwrap(), 1.0, steps).unwrap())
    };
    assert!((within(&lake, 0.99, 100) - 0.740165).abs() < 6e-7, "{}", within(&lake, 0.99, 100));
    assert!((within(&large, 0.99, 200) - 0.862955).abs() < 6e-7, "{}", within(&large, 0.99, 200));
    for (table, steps, best, random) in [(&lake, 100, 0.744190, 0.013940), (&large, 200, 0.913220, 0.001901)] {
        let (values, choices) = backward_induction(table, 1.0, steps).unwrap();
        assert!((start(table, &values) - best).abs() < 6e-7);
        assert_eq!(choices.len(), steps);
        let uniform = PolicyTable::uniform(table.states(), 4);
        assert!((start(table, &evaluate_steps(table, &uniform, 1.0, steps).unwrap()) - random).abs() < 6e-7);
    }
}

#[test]
fn the_error_is_under_the_contraction_bound_at_every_sweep() {
    let table = lake();
    let gamma = 0.99;
    let truth = policy_iteration(&table, gamma, 100).unwrap().values;
    let whole = ValueIteration { gamma, ..ValueIteration::default() }.solve(&table).unwrap();
    let bounds = whole.trace.column("bound").unwrap();
    for sweeps in 1..=bounds.len() {
        let part = ValueIteration { gamma, max_sweeps: sweeps, ..ValueIteration::default() }.solve(&table).unwrap();
        let error = part.values.iter().zip(&truth).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert_eq!(part.certificate.duality_gap, Some(bounds[sweeps - 1]));
        assert!(error <= bounds[sweeps - 1] + 1e-14, "sweep {sweeps}: {error} over {}", bounds[sweeps - 1]);
    }
}

#[test]
fn sweeps_and_equations_give_a_policy_the_same_value() {
    let world = GridWorld::default().build().unwrap();
    let table = world.transitions();
    let policy = PolicyTable::uniform(table.states(), 4);
    for gamma in [0.5, 0.9, 1.0] {
        let sweeps = evaluate(table, &policy, gamma, 1e-13, 100_000).unwrap();
        let exact = evaluate_exactly(table, &policy, gamma).unwrap();
        assert!(sweeps.converged);
        for (a, b) in sweeps.values.iter().zip(&exact.values) {
            assert!((a - b).abs() < 1e-10);
        }
    }
    // Russell and Norvig, figure 17.3: the utilities of the 4x3 world, where the step into the end costs 0.04 more than here.
    let solution = ValueIteration { gamma: 1.0, ..ValueIteration::default() }.solve(table).unwrap();
    for (state, value) in
        [(0, 0.812), (1, 0.868), (2, 0.918), (4, 0.762), (6, 0.660), (8, 0.705), (9, 0.655), (10, 0.611), (11, 0.388)]
    {
        assert!((solution.values[state] - 0.04 - value).abs() < 6e-4, "state {state}: {}", solution.values[state]);
    }
}

/// Two states that lead to each other, and a third that ends.
fn circle(reward: f64, way_out: bool) -> Transitions {
    Transitions::new(3, 2, vec![1.0, 0.0, 0.0], |state, action| {
        let outcome = |next, reward, terminated| vec![Transition { probability: 1.0, next, reward, terminated }];
        match (state, action) {
            (2, _) => outcome(2, 0.0, true),
            (0, 1) if way_out => outcome(2, 0.0, true),
            (0, _) => outcome(1, reward, false),
            _ => outcome(0, 0.0, false),
        }
    })
    .unwrap()
}

#[test]
fn absorbing_loops_are_said_or_refused() {
    let solve = |table: &Transitions, gamma| ValueIteration { gamma, ..ValueIteration::default() }.solve(table);
    // A loop that earns has no value without a discount, with a way out or not; one that costs only without.
    for table in [circle(1.0, false), circle(1.0, true), circle(-1.0, false)] {
        let message = solve(&table, 1.0).unwrap_err().to_string();
        assert!(message.contains("state 0, action 0") && message.contains("gamma"), "{message}");
        assert!(solve(&table, 0.9).unwrap().certificate.converged);
    }
    let out = solve(&circle(-1.0, true), 1.0).unwrap();
    assert_eq!((out.values[0], out.policy[0]), (0.0, 1));
    let idle = solve(&circle(0.0, false), 1.0).unwrap();
    assert!(idle.certificate.notes.iter().any(|n| n.contains("absorbing loop")));
    let policy = PolicyTable::certain(&[0, 0, 0], 2).unwrap();
    assert!(evaluate(&circle(-1.0, true), &policy, 1.0, 1e-9, 100).unwrap_err().to_string().contains("loop of 2 states"));
    assert!(evaluate_exactly(&circle(0.0, true), &policy, 1.0).unwrap().notes[0].contains("absorbing loop"));
    assert!((evaluate_exactly(&circle(1.0, true), &policy, 0.5).unwrap().values[0] - 4.0 / 3.0).abs() < 1e-14);
}

#[test]
fn wrong_tables_are_refused_with_their_numbers() {
    let row = |probability: f64, reward: f64, next: usize| {
        move |state: usize, action: usize| {
            let wrong = (state, action) == (1, 0);
            let (probability, reward, next) = if wrong { (probability, reward, next) } else { (1.0, 0.0, 0) };
            vec![Transition { probability, next, reward, terminated: false }]
        }
    };
    let refuse = |probability, reward, next, words: &[&str]| {
        let message = Transitions::new(2, 2, vec![1.0, 0.0], row(probability, reward, next)).unwrap_err().to_string();
        words.iter().for_each(|w| assert!(message.contains(w), "{message}"));
    };
    refuse(0.9, 0.0, 0, &["state 1, action 0", "0.9"]);
    refuse(f64::NAN, 0.0, 0, &["state 1, action 0", "NaN"]);
    refuse(1.0, f64::NAN, 0, &["state 1, action 0", "NaN"]);
    refuse(1.0, f64::INFINITY, 0, &["state 1, action 0", "inf"]);
    refuse(1.0, 0.0, 2, &["state 1, action 0", "state 2"]);
    assert!(Transitions::new(0, 0, vec![], row(1.0, 0.0, 0)).is_err());
    assert!(Transitions::new(2, 2, vec![0.5, 0.4], row(1.0, 0.0, 0)).unwrap_err().to_string().contains("0.9"));
    let arrays = Transitions::from_arrays(2, 1, &[0.5, 0.4, 0.0, 1.0], &[1.0, 0.0], &[false, true]);
    assert!(arrays.unwrap_err().to_string().contains("state 0, action 0"));
    assert!(Transitions::from_arrays(2, 1, &[0.5, 0.5], &[1.0, 0.0], &[false, true]).is_err());
    let coin = Transitions::from_arrays(2, 1, &[0.5, 0.5, 0.0, 1.0], &[1.0, 0.0], &[false, true]).unwrap();
    let value = evaluate_exactly(&coin, &PolicyTable::uniform(2, 1), 1.0).unwrap().values[0];
    assert!((value - 2.0).abs() < 1e-14);
    assert!(GridWorld { map: "..\n...".into(), ..GridWorld::default() }.build().err().unwrap().to_string().contains("line 2"));
    assert!(GridWorld { map: ".?".into(), ..GridWorld::default() }.build().err().unwrap().to_string().contains("column 2"));
    assert!(GridWorld { map: "G".into(), ..GridWorld::default() }.build().err().unwrap().to_string().contains("start"));
    assert!(FrozenLake { success_rate: 1.5, ..FrozenLake::default() }.build().is_err());
    assert!(Taxi::new(Some(-0.1), None).is_err());
    assert!(ValueIteration { gamma: 1.2, ..ValueIteration::default() }.solve(&lake()).is_err());
}
