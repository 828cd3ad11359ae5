//! Chapter 12: decision processes and reinforcement learning.

use ermine_agent::env::cliff_walking;
use ermine_agent::mdp::{PolicyTable, Transitions, ValueIteration, action_value, evaluate_exactly, greedy, policy_iteration};
use ermine_agent::tabular::{ControlMethod, DecaySchedule, Exploration, StepSize, TabularAgent, TrainingBudget};
use ermine_core::{Result, RngStream};
use ermine_report::chart::{Chart, Series};

use crate::algebra::{max_abs, mean, mean_and_error, sub};
use crate::check::TheoremCheck;
use crate::theorem::{Chapter, Theorem, TheoremParam, TheoremRun, real, whole};

const STATES: TheoremParam = whole("states", 8, 2, 20, "states");
const ACTIONS: TheoremParam = whole("actions", 3, 2, 5, "actions");
const GAMMA: TheoremParam = real("gamma", 0.9, 0.1, 0.98, "discount");

pub(crate) const CHAPTER: Chapter = Chapter {
    number: 12,
    title: "Decision processes and reinforcement learning",
    theorems: &[
        Theorem::new(
            "T12.1",
            "V^π = r + γ P V^π, and V^π(s) = Σ π(a|s) Q^π(s, a)",
            "002 §8.1",
            "mdp::evaluate_exactly",
            &[STATES, ACTIONS, GAMMA],
            false,
            bellman,
        ),
        Theorem::new(
            "T12.2",
            "Bellman's operators contract: ‖TU − TV‖∞ ≤ γ‖U − V‖∞, so the error is at most γ/(1−γ) times the last change",
            "002 §8.1",
            "mdp::ValueIteration",
            &[STATES, ACTIONS, GAMMA],
            false,
            contraction,
        ),
        Theorem::new(
            "T12.3",
            "The policy that is greedy on V^π is nowhere worse than π",
            "002 §8.1",
            "mdp::greedy",
            &[STATES, ACTIONS, GAMMA],
            false,
            improvement,
        ),
        Theorem::new(
            "T12.4",
            "Policy iteration ends after finitely many rounds at V*",
            "002 §8.1",
            "mdp::policy_iteration",
            &[STATES, ACTIONS, GAMMA],
            false,
            iteration,
        ),
        Theorem::new(
            "T12.5",
            "Q-learning tends to Q* if all pairs recur, Σα = ∞ and Σα² < ∞",
            "002 §8.2.1",
            "algorithm in the open",
            &[
                whole("states", 4, 2, 6, "states"),
                whole("actions", 2, 2, 3, "actions"),
                real("gamma", 0.7, 0.1, 0.8, "discount"),
                whole("steps", 60000, 30000, 100000, "steps"),
            ],
            false,
            q_learning,
        ),
        Theorem::new(
            "T12.6",
            "E max Q̂ ≥ max E Q̂: a maximum of noisy values is too high; double Q-learning evaluates one table at the other's choice",
            "002 §8.2.1",
            "algorithm in the open",
            &[
                whole("actions", 5, 2, 20, "actions of equal value"),
                whole("samples", 10, 2, 100, "samples of each"),
                whole("draws", 2000, 500, 4000, "tables"),
            ],
            false,
            maximization_bias,
        ),
        Theorem::new(
            "T12.7",
            "On the cliff Q-learning finds the shortest way, −13; SARSA with ε fixed the safer one, with the better return while it learns",
            "002 §8.2.1",
            "TabularAgent, cliff_walking",
            &[real("epsilon", 0.1, 0.08, 0.12, "ε")],
            false,
            cliff,
        ),
        Theorem::new(
            "T12.8",
            "∇J = E Σ γᵗ ∇log π · (Q − B(s)), and E ∇log π · B(s) = 0: a baseline does not change the gradient",
            "002 §8.2.2",
            "algorithm in the open",
            &[STATES, ACTIONS, GAMMA],
            false,
            policy_gradient,
        ),
    ],
};

/// A process whose every action leads to every state.
fn process(run: &TheoremRun<'_>) -> Result<Transitions> {
    let (s, a) = (run.whole("states"), run.whole("actions"));
    let mut stream = run.stream(0);
    let mut probability = Vec::with_capacity(s * a * s);
    for _ in 0..s * a {
        let row: Vec<f64> = (0..s).map(|_| stream.uniform() + 0.01).collect();
        let total: f64 = row.iter().sum();
        probability.extend(row.iter().map(|v| v / total));
    }
    let reward: Vec<f64> = (0..s * a).map(|_| stream.normal()).collect();
    Transitions::from_arrays(s, a, &probability, &reward, &vec![false; s])
}

fn random_policy(table: &Transitions, stream: &mut RngStream) -> Result<PolicyTable> {
    let mut p = Vec::new();
    for _ in 0..table.states() {
        let row: Vec<f64> = (0..table.actions()).map(|_| stream.uniform() + 0.01).collect();
        let total: f64 = row.iter().sum();
        p.extend(row.iter().map(|v| v / total));
    }
    PolicyTable::new(table.actions(), p)
}

/// max over actions of E[r + γV], everywhere.
fn optimal_step(table: &Transitions, values: &[f64], gamma: f64) -> Vec<f64> {
    (0..table.states())
        .map(|s| (0..table.actions()).map(|a| action_value(table, values, gamma, s, a)).fold(f64::NEG_INFINITY, f64::max))
        .collect()
}

fn bellman(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (table, gamma) = (process(run)?, run.real("gamma"));
    let policy = random_policy(&table, &mut run.stream(1))?;
    let v = evaluate_exactly(&table, &policy, gamma)?.values;
    let residual = (0..table.states()).map(|s| {
        // Without the engine's Q: the sum over outcomes.
        let one = |a: usize| table.outcomes(s, a).iter().map(|t| t.probability * (t.reward + gamma * v[t.next])).sum::<f64>();
        (v[s] - (0..table.actions()).map(|a| policy.row(s)[a] * one(a)).sum::<f64>()).abs()
    });
    let links = (0..table.states()).map(|s| {
        (v[s] - (0..table.actions()).map(|a| policy.row(s)[a] * action_value(&table, &v, gamma, s, a)).sum::<f64>()).abs()
    });
    let size = 1.0 + max_abs(&v);
    let mut check = TheoremCheck::new();
    check.assume("γ < 1", gamma < 1.0);
    check.zero("largest |V − (r + γPV)|", residual.fold(0.0, f64::max), 1e-9 * size);
    check.zero("largest |V(s) − Σπ(a|s)Q(s,a)|", links.fold(0.0, f64::max), 1e-9 * size);
    Ok(check)
}

fn contraction(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (table, gamma) = (process(run)?, run.real("gamma"));
    let mut stream = run.stream(1);
    let mut draw = || (0..table.states()).map(|_| 3.0 * stream.normal()).collect::<Vec<f64>>();
    let (u, v) = (draw(), draw());
    let before = max_abs(&sub(&u, &v));
    let after = max_abs(&sub(&optimal_step(&table, &u, gamma), &optimal_step(&table, &v, gamma)));
    let mut check = TheoremCheck::new();
    check.assume("γ < 1", gamma < 1.0);
    check.at_most("‖TU − TV‖∞ against γ‖U − V‖∞", after, gamma * before);
    let best = policy_iteration(&table, gamma, 100)?.values;
    let (mut now, mut worst, mut curve) = (vec![0.0; table.states()], f64::NEG_INFINITY, Vec::new());
    for sweep in 1..=30 {
        let next = optimal_step(&table, &now, gamma);
        let bound = gamma / (1.0 - gamma) * max_abs(&sub(&next, &now));
        let error = max_abs(&sub(&next, &best));
        worst = worst.max(error - bound);
        curve.push((f64::from(sweep), error.max(1e-16), bound.max(1e-16)));
        now = next;
    }
    check.at_most("largest excess of the error over γ/(1−γ) times the last change", worst, 1e-9 * (1.0 + max_abs(&best)));
    let solved = ValueIteration { gamma, ..ValueIteration::default() }.solve(&table)?;
    check.zero(
        "value iteration of the engine less policy iteration",
        max_abs(&sub(&solved.values, &best)),
        1e-8 * (1.0 + max_abs(&best)),
    );
    let errors = curve.iter().map(|c| (c.0, c.1)).collect();
    let bounds = curve.iter().map(|c| (c.0, c.2)).collect();
    check.draw(
        Chart::new("Value iteration", "sweep", "error")
            .log_y()
            .with(Series::line("error", errors))
            .with(Series::dashed("bound", bounds)),
    );
    Ok(check)
}

fn improvement(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (table, gamma) = (process(run)?, run.real("gamma"));
    let policy = random_policy(&table, &mut run.stream(1))?;
    let v = evaluate_exactly(&table, &policy, gamma)?.values;
    let better = PolicyTable::certain(&greedy(&table, &v, gamma), table.actions())?;
    let w = evaluate_exactly(&table, &better, gamma)?.values;
    let least = w.iter().zip(&v).map(|(w, v)| w - v).fold(f64::INFINITY, f64::min);
    let mut check = TheoremCheck::new();
    check.assume("V^π is exact", true);
    check.at_most("0 against the least gain of any state", 0.0, least + 1e-10);
    Ok(check)
}

fn iteration(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (table, gamma) = (process(run)?, run.real("gamma"));
    let end = policy_iteration(&table, gamma, 100)?;
    let size = 1.0 + max_abs(&end.values);
    let mut check = TheoremCheck::new();
    check.assume("finitely many states and actions", true);
    check.zero(
        "largest violation of Bellman's optimality equation",
        max_abs(&sub(&optimal_step(&table, &end.values, gamma), &end.values)),
        1e-8 * size,
    );
    let mut v = vec![0.0; table.states()];
    (0..2000).for_each(|_| v = optimal_step(&table, &v, gamma));
    check.zero("policy iteration less 2000 sweeps of value iteration", max_abs(&sub(&v, &end.values)), 1e-8 * size);
    check.at_most(
        "rounds against the number of policies",
        end.certificate.iterations as f64,
        (table.actions() as f64).powi(table.states() as i32) + 1.0,
    );
    Ok(check)
}

fn q_learning(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (table, gamma, steps) = (process(run)?, run.real("gamma"), run.whole("steps"));
    let best = policy_iteration(&table, gamma, 100)?.values;
    let (s, a) = (table.states(), table.actions());
    let truth: Vec<f64> = (0..s * a).map(|k| action_value(&table, &best, gamma, k / a, k % a)).collect();
    let mut stream = run.stream(2);
    let (mut q, mut visits) = (vec![0.0; s * a], vec![0u32; s * a]);
    let (mut state, mut errors) = (0, Vec::new());
    for step in 0..steps {
        let action = stream.below(a);
        let outcomes = table.outcomes(state, action);
        let t = outcomes[stream.weighted(&outcomes.iter().map(|t| t.probability).collect::<Vec<_>>())];
        let k = state * a + action;
        visits[k] += 1;
        let target = t.reward + gamma * q[t.next * a..(t.next + 1) * a].iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // Σα diverges and Σα² does not: an exponent between ½ and 1.
        q[k] += f64::from(visits[k]).powf(-0.7) * (target - q[k]);
        state = t.next;
        if (step + 1) % (steps / 20) == 0 {
            errors.push(((step + 1) as f64, max_abs(&sub(&q, &truth))));
        }
    }
    let mut check = TheoremCheck::new();
    check.assume("all pairs recur", visits.iter().all(|v| *v > 10)).assume("α of visit n is n^−0.7", true);
    check.trend(
        "largest error of Q at the start and at the end",
        max_abs(&truth),
        mean(&errors[15..].iter().map(|e| e.1).collect::<Vec<_>>()),
    );
    check.draw(Chart::new("Error of Q-learning", "step", "largest error").with(Series::line("Q-learning", errors)));
    Ok(check)
}

fn maximization_bias(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (a, n) = (run.whole("actions"), run.whole("samples") as f64);
    let mut stream = run.stream(0);
    let (mut single, mut double, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..run.whole("draws") {
        // Every action is worth 0.
        let mut table = || (0..a).map(|_| stream.normal() / n.sqrt()).collect::<Vec<f64>>();
        let (q1, q2) = (table(), table());
        let choice = (0..a).fold(0, |best, k| if q1[k] > q1[best] { k } else { best });
        single.push(q1[choice]);
        double.push(q2[choice]);
        wrong.push(q2.iter().copied().fold(f64::NEG_INFINITY, f64::max));
    }
    let mut check = TheoremCheck::new();
    check.assume("the values are noisy", true);
    let (m, e) = mean_and_error(&single);
    check.simulated_at_most("max E Q̂ = 0 against the mean of max Q̂", (0.0, e), m);
    check.simulated("double: the mean of Q₂ at Q₁'s choice, and the true value 0", mean_and_error(&double), 0.0);
    check.misprint_at_most("max over Q₂ as the target of double Q-learning, unbiased: its mean against 0", mean(&wrong), 4.0 * e);
    Ok(check)
}

fn cliff(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let exploration = Exploration::EpsilonGreedy(DecaySchedule::Constant(run.real("epsilon")));
    let train = |method: ControlMethod, seed: u64| {
        let agent = TabularAgent { method, gamma: 1.0, alpha: StepSize::Constant(0.5), exploration, ..TabularAgent::default() };
        let mut world = cliff_walking(false)?;
        agent.train(&mut world, TrainingBudget::Episodes(500), seed)
    };
    let (mut q, mut sarsa, mut ways) = (Vec::new(), Vec::new(), Vec::new());
    for seed in 0..5 {
        let seed = 10 * run.seed() + seed;
        let learned = train(ControlMethod::QLearning, seed)?;
        q.push(mean(&learned.returns[100..]));
        sarsa.push(mean(&train(ControlMethod::Sarsa, seed)?.returns[100..]));
        ways.push(greedy_return(&learned.greedy())?);
    }
    let mut check = TheoremCheck::new();
    check.assume("γ = 1, ε fixed", true);
    let best = ways.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    check.equal("return of the greedy way of Q-learning, the best of five runs, against −13", best, -13.0, 1e-9);
    let difference: Vec<f64> = q.iter().zip(&sarsa).map(|(q, s)| q - s).collect();
    check.simulated_at_most("return while learning: Q-learning less SARSA, against 0", mean_and_error(&difference), 0.0);
    check.note(format!("mean return while learning: Q-learning {:.1}, SARSA {:.1}", mean(&q), mean(&sarsa)));
    Ok(check)
}

/// The return of a policy from the start; episodes of more than 100 steps do not end.
fn greedy_return(policy: &[usize]) -> Result<f64> {
    let world = cliff_walking(false)?;
    let table = world.transitions();
    let mut state = table.start().iter().position(|p| *p > 0.0).unwrap_or(0);
    let mut total = 0.0;
    for _ in 0..100 {
        let t = table.outcomes(state, policy[state])[0];
        total += t.reward;
        if t.terminated {
            return Ok(total);
        }
        state = t.next;
    }
    Ok(f64::NEG_INFINITY)
}

fn policy_gradient(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (table, gamma) = (process(run)?, run.real("gamma"));
    let (s, a) = (table.states(), table.actions());
    let mut stream = run.stream(1);
    let theta: Vec<f64> = (0..s * a).map(|_| stream.normal()).collect();
    let softmax = |theta: &[f64]| {
        let mut p = Vec::with_capacity(s * a);
        for row in theta.chunks(a) {
            let top = ermine_math::loss::log_sum_exp(row);
            p.extend(row.iter().map(|v| (v - top).exp()));
        }
        PolicyTable::new(a, p)
    };
    let value = |theta: &[f64]| -> Result<f64> {
        let v = evaluate_exactly(&table, &softmax(theta)?, gamma)?.values;
        Ok(table.start().iter().zip(&v).map(|(p, v)| p * v).sum())
    };
    let policy = softmax(&theta)?;
    let v = evaluate_exactly(&table, &policy, gamma)?.values;
    // Discounted visits Σ γᵗ P(s_t = s).
    let mut visits = table.start().to_vec();
    let (mut now, mut factor) = (table.start().to_vec(), 1.0);
    for _ in 0..3000 {
        let mut next = vec![0.0; s];
        for i in 0..s {
            for j in 0..a {
                table.outcomes(i, j).iter().for_each(|t| next[t.next] += now[i] * policy.row(i)[j] * t.probability);
            }
        }
        factor *= gamma;
        visits.iter_mut().zip(&next).for_each(|(v, n)| *v += factor * n);
        now = next;
        if factor < 1e-14 {
            break;
        }
    }
    let gradient = |baseline: &dyn Fn(usize) -> f64| -> Vec<f64> {
        let mut g = vec![0.0; s * a];
        for i in 0..s {
            for j in 0..a {
                let weight = visits[i] * policy.row(i)[j] * (action_value(&table, &v, gamma, i, j) - baseline(i));
                (0..a).for_each(|k| g[i * a + k] += weight * (f64::from(k == j) - policy.row(i)[k]));
            }
        }
        g
    };
    let (plain, with) = (gradient(&|_| 0.0), gradient(&|i| v[i] + 3.0));
    let mut worst = 0.0f64;
    for k in 0..s * a {
        let (mut up, mut down) = (theta.clone(), theta.clone());
        up[k] += 1e-5;
        down[k] -= 1e-5;
        worst = worst.max(((value(&up)? - value(&down)?) / 2e-5 - plain[k]).abs());
    }
    let size = 1.0 + max_abs(&v);
    let mut check = TheoremCheck::new();
    check.assume("softmax policy, γ < 1", gamma < 1.0);
    check.zero("difference quotients of J less the formula", worst, 1e-6 * size);
    check.zero("gradient with a baseline less gradient without", max_abs(&sub(&plain, &with)), 1e-9 * size);
    let down: Vec<f64> = theta.iter().zip(&plain).map(|(t, g)| t - 0.01 * g).collect();
    check.misprint_at_most("θ − α∇J as a step that raises J", value(&theta)?, value(&down)?);
    Ok(check)
}
