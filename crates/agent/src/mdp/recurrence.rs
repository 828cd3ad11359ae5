//! Recurrent classes: where a task never terminates, undiscounted values may be infinite or zero.

use super::{PolicyTable, Transitions};

/// States that are visited for ever once entered, class by class (the closed strongly connected components of the
/// policy's chain without a termination).
pub(super) fn recurrent_classes(table: &Transitions, policy: &PolicyTable) -> Vec<Vec<usize>> {
    let n = table.states();
    let mut edges: Vec<Vec<usize>> = vec![Vec::new(); n];
    let mut ends = vec![false; n];
    for state in 0..n {
        for (action, &weight) in policy.row(state).iter().enumerate() {
            if weight > 0.0 {
                for outcome in table.outcomes(state, action).iter().filter(|o| o.probability > 0.0) {
                    if outcome.terminated {
                        ends[state] = true;
                    } else {
                        edges[state].push(outcome.next);
                    }
                }
            }
        }
    }
    let component = components(&edges);
    let count = component.iter().max().map_or(0, |m| m + 1);
    let mut closed = vec![true; count];
    for state in 0..n {
        if ends[state] || edges[state].iter().any(|&next| component[next] != component[state]) {
            closed[component[state]] = false;
        }
    }
    let mut classes = vec![Vec::new(); count];
    (0..n).filter(|&s| closed[component[s]]).for_each(|s| classes[component[s]].push(s));
    classes.retain(|class| !class.is_empty());
    classes.sort();
    classes
}

/// The number of the strongly connected component of each node (Tarjan 1972, without recursion).
fn components(edges: &[Vec<usize>]) -> Vec<usize> {
    const NEW: usize = usize::MAX;
    let n = edges.len();
    let (mut order, mut low, mut component) = (vec![NEW; n], vec![0; n], vec![NEW; n]);
    let (mut stack, mut path, mut seen, mut found) = (Vec::new(), Vec::new(), 0, 0);
    for root in 0..n {
        if order[root] != NEW {
            continue;
        }
        path.push((root, 0));
        while let Some(&mut (node, ref mut next)) = path.last_mut() {
            if *next == 0 {
                (order[node], low[node]) = (seen, seen);
                seen += 1;
                stack.push(node);
            }
            if let Some(&to) = edges[node].get(*next) {
                *next += 1;
                if order[to] == NEW {
                    path.push((to, 0));
                } else if component[to] == NEW {
                    low[node] = low[node].min(order[to]);
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                low[parent] = low[parent].min(low[node]);
            }
            if low[node] == order[node] {
                while let Some(member) = stack.pop() {
                    component[member] = found;
                    if member == node {
                        break;
                    }
                }
                found += 1;
            }
        }
    }
    component
}

/// For each state, an allowed action that comes nearer to termination with positive probability; none where no allowed
/// action does. Following them terminates almost surely from every state that has one.
pub(super) fn actions_toward_terminal(table: &Transitions, allowed: impl Fn(usize, usize) -> bool) -> Vec<Option<usize>> {
    let n = table.states();
    let mut choice: Vec<Option<usize>> = vec![None; n];
    loop {
        // A round uses the states of earlier rounds only, so that every choice is a step nearer.
        let reached: Vec<bool> = choice.iter().map(Option::is_some).collect();
        let nearer = |state: usize, action: usize| {
            let mut outcomes = table.outcomes(state, action).iter().filter(|o| o.probability > 0.0);
            outcomes.any(|o| o.terminated || reached[o.next])
        };
        let mut changed = false;
        for state in (0..n).filter(|&s| !reached[s]) {
            choice[state] = (0..table.actions()).find(|&a| allowed(state, a) && nearer(state, a));
            changed |= choice[state].is_some();
        }
        if !changed {
            return choice;
        }
    }
}

/// The rewards inside a class of states under a policy: the first that is not 0, with its state and action.
pub(super) fn reward_inside(table: &Transitions, policy: &PolicyTable, class: &[usize]) -> Option<(usize, usize, f64)> {
    class.iter().find_map(|&state| {
        let chosen = policy.row(state).iter().enumerate().filter(|(_, w)| **w > 0.0);
        chosen
            .flat_map(|(action, _)| table.outcomes(state, action).iter().map(move |o| (action, o)))
            .find_map(|(action, o)| (o.probability > 0.0 && o.reward != 0.0).then_some((state, action, o.reward)))
    })
}
