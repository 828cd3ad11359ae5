//! A grid world from a text map, with walls, goals, pits and slips.

use ermine_core::{Error, Result};

use super::TabularEnv;
use super::table::{LetterMap, name_action};
use crate::mdp::{Transition, Transitions};

/// Up, right, down, left: (rows, columns).
const MOVES: [(isize, isize); 4] = [(-1, 0), (0, 1), (1, 0), (0, -1)];
const NAMES: [&str; 4] = ["Up", "Right", "Down", "Left"];

/// A grid world. Letters: `S` start, `.` floor, `#` wall, `G` goal (ends with `goal`), `X` pit (ends with `pit`).
/// Without an `S`, episodes start on any floor cell.
#[derive(Debug, Clone)]
pub struct GridWorld {
    /// The map, one line per row.
    pub map: String,
    /// Probability to slip to either side of the intended direction, half each.
    pub slip: f64,
    /// Reward of every step.
    pub step: f64,
    /// Reward of reaching a goal, instead of that of the step.
    pub goal: f64,
    /// Reward of falling into a pit, instead of that of the step.
    pub pit: f64,
    /// Steps after which an episode is truncated.
    pub limit: Option<u32>,
}

impl Default for GridWorld {
    /// The 4x3 world of Russell and Norvig: slips 0.2, steps cost 0.04.
    fn default() -> Self {
        Self { map: "...G\n.#.X\nS...".into(), slip: 0.2, step: -0.04, goal: 1.0, pit: -1.0, limit: None }
    }
}

impl GridWorld {
    /// Builds the environment. Walls are unreachable states, so that states are cells.
    pub fn build(&self) -> Result<TabularEnv> {
        if !(0.0..=1.0).contains(&self.slip) {
            return Err(Error::Data(format!("slip {} is not a probability", self.slip)));
        }
        let map = LetterMap::read(&self.map, b"S.#GX")?;
        let start = map.uniform_over(b'S').or_else(|_| map.uniform_over(b'.'))?;
        let table = Transitions::new(map.cells.len(), 4, start, |cell, action| {
            if matches!(map.cells[cell], b'G' | b'X' | b'#') {
                return vec![Transition { probability: 1.0, next: cell, reward: 0.0, terminated: true }];
            }
            let toward = |direction: usize, probability: f64| {
                let ahead = map.toward(cell, MOVES[direction]);
                let next = if map.cells[ahead] == b'#' { cell } else { ahead };
                let (reward, terminated) = match map.cells[next] {
                    b'G' => (self.goal, true),
                    b'X' => (self.pit, true),
                    _ => (self.step, false),
                };
                Transition { probability, next, reward, terminated }
            };
            match self.slip > 0.0 {
                true => vec![
                    toward(action, 1.0 - self.slip),
                    toward((action + 3) % 4, self.slip / 2.0),
                    toward((action + 1) % 4, self.slip / 2.0),
                ],
                false => vec![toward(action, 1.0)],
            }
        })?;
        let grid = map.grid(['↑', '→', '↓', '←']);
        let draw = move |cell: usize, action: Option<usize>| name_action(&NAMES, action) + &map.draw(cell);
        Ok(TabularEnv::new("grid world", &NAMES, table, self.limit, draw).on_grid(grid))
    }
}
