//! CliffWalking: along the edge or at a safe distance (Sutton and Barto, example 6.6).

use ermine_core::Result;

use super::TabularEnv;
use super::table::{LetterMap, name_action};
use crate::mdp::{Transition, Transitions};

const MAP: &str = "oooooooooooo\noooooooooooo\noooooooooooo\nSCCCCCCCCCCT";
/// Up, right, down, left: (rows, columns).
const MOVES: [(isize, isize); 4] = [(-1, 0), (0, 1), (1, 0), (0, -1)];
const NAMES: [&str; 4] = ["Up", "Right", "Down", "Left"];

/// The 4x12 environment: every step costs 1, the cliff 100 and a return to the start; no step limit. If slippery, each
/// step goes with probability 1/3 as intended and to either side.
pub fn cliff_walking(slippery: bool) -> Result<TabularEnv> {
    let map = LetterMap::read(MAP, b"oSCT")?;
    let start = map.uniform_over(b'S')?;
    let home = start.iter().position(|&p| p > 0.0).unwrap_or(0);
    let table = Transitions::new(map.cells.len(), 4, start, |cell, action| {
        let directions = if slippery { vec![(action + 3) % 4, action, (action + 1) % 4] } else { vec![action] };
        let probability = 1.0 / directions.len() as f64;
        let outcome = |direction: usize| {
            let next = map.toward(cell, MOVES[direction]);
            match map.cells[next] {
                b'C' => Transition { probability, next: home, reward: -100.0, terminated: false },
                letter => Transition { probability, next, reward: -1.0, terminated: letter == b'T' },
            }
        };
        directions.into_iter().map(outcome).collect()
    })?;
    let grid = map.grid(['↑', '→', '↓', '←']);
    let draw = move |cell: usize, action: Option<usize>| name_action(&NAMES, action) + &map.draw(cell);
    Ok(TabularEnv::new("cliff walking", &NAMES, table, None, draw).on_grid(grid))
}
