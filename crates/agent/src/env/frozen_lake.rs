//! FrozenLake: over the ice to the goal, without falling into a hole.

use ermine_core::{Error, Result};

use super::TabularEnv;
use super::table::{LetterMap, name_action};
use crate::mdp::{Transition, Transitions};

/// The 4x4 map.
const SMALL: &str = "SFFF\nFHFH\nFFFH\nHFFG";
/// The 8x8 map.
const LARGE: &str = "SFFFFFFF\nFFFFFFFF\nFFFHFFFF\nFFFFFHFF\nFFFHFFFF\nFHHFFFHF\nFHFFHFHF\nFFFHFFFG";

/// Left, down, right, up: (rows, columns).
const MOVES: [(isize, isize); 4] = [(0, -1), (1, 0), (0, 1), (-1, 0)];
const NAMES: [&str; 4] = ["Left", "Down", "Right", "Up"];

/// Parameters of the lake. Letters: S start, F frozen, H hole, G goal.
#[derive(Debug, Clone)]
pub struct FrozenLake {
    /// The map, one line per row.
    pub map: String,
    /// Whether the ice is slippery: the intended direction, or one at a right angle to it.
    pub slippery: bool,
    /// Probability of the intended direction on slippery ice.
    pub success_rate: f64,
    /// Rewards for reaching the goal, a hole, any other cell.
    pub rewards: [f64; 3],
    /// Steps after which an episode is truncated.
    pub limit: Option<u32>,
}

impl Default for FrozenLake {
    fn default() -> Self {
        Self { map: SMALL.into(), slippery: true, success_rate: 1.0 / 3.0, rewards: [1.0, 0.0, 0.0], limit: Some(100) }
    }
}

impl FrozenLake {
    /// The 8x8 map with its limit of 200 steps.
    pub fn large() -> Self {
        Self { map: LARGE.into(), limit: Some(200), ..Self::default() }
    }

    /// Builds the environment.
    pub fn build(&self) -> Result<TabularEnv> {
        if !(0.0..=1.0).contains(&self.success_rate) {
            return Err(Error::Data(format!("success_rate {} is not a probability", self.success_rate)));
        }
        let map = LetterMap::read(&self.map, b"SFHG")?;
        let fail = (1.0 - self.success_rate) / 2.0;
        let table = Transitions::new(map.cells.len(), 4, map.uniform_over(b'S')?, |cell, action| {
            if matches!(map.cells[cell], b'G' | b'H') {
                return vec![Transition { probability: 1.0, next: cell, reward: 0.0, terminated: true }];
            }
            let toward = |direction: usize, probability: f64| {
                let next = map.toward(cell, MOVES[direction]);
                let (reward, terminated) = match map.cells[next] {
                    b'G' => (self.rewards[0], true),
                    b'H' => (self.rewards[1], true),
                    _ => (self.rewards[2], false),
                };
                Transition { probability, next, reward, terminated }
            };
            match self.slippery {
                true => vec![toward((action + 3) % 4, fail), toward(action, self.success_rate), toward((action + 1) % 4, fail)],
                false => vec![toward(action, 1.0)],
            }
        })?;
        let grid = map.grid(['←', '↓', '→', '↑']);
        let draw = move |cell: usize, action: Option<usize>| name_action(&NAMES, action) + &map.draw(cell);
        Ok(TabularEnv::new("frozen lake", &NAMES, table, self.limit, draw).on_grid(grid))
    }
}
