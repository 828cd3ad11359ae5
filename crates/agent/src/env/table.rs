//! Tabular environments: for each state and action the possible outcomes.

use std::sync::Arc;

use ermine_core::{Error, Result};

use super::{Environment, FiniteStates, StepLimit, TimeStep, no_such_action};
use crate::mdp::Transitions;
use crate::numpy_rng::NumpyRng;

/// Layout of the states on a grid, and the directions of the actions.
#[derive(Debug, Clone, PartialEq)]
pub struct GridLayout {
    /// Cells per row; state `r * columns + c` is in row `r`, column `c`.
    pub columns: usize,
    /// One letter per cell.
    pub letters: Vec<u8>,
    /// One arrow per action.
    pub arrows: [char; 4],
}

impl GridLayout {
    /// Whether the policy matters in a cell: not in walls, goals, pits, holes and cliffs.
    pub fn decides(&self, cell: usize) -> bool {
        !b"#GXHTC".contains(&self.letters[cell])
    }
}

/// An environment over a table of transitions. Its creator supplies the drawing.
#[derive(Clone)]
pub struct TabularEnv {
    name: &'static str,
    actions: &'static [&'static str],
    grid: Option<Arc<GridLayout>>,
    table: Arc<Transitions>,
    rng: NumpyRng,
    clock: StepLimit,
    state: usize,
    last_action: Option<usize>,
    last_probability: f64,
    draw: Arc<dyn Fn(usize, Option<usize>) -> String + Send + Sync>,
}

impl TabularEnv {
    /// An environment over a table, with the names of its actions, its step limit and its drawing of (state, last
    /// action).
    pub fn new(
        name: &'static str,
        actions: &'static [&'static str],
        table: Transitions,
        limit: Option<u32>,
        draw: impl Fn(usize, Option<usize>) -> String + Send + Sync + 'static,
    ) -> Self {
        let mut world = Self {
            name,
            actions,
            grid: None,
            table: Arc::new(table),
            rng: NumpyRng::new(0),
            clock: StepLimit::new(limit),
            state: 0,
            last_action: None,
            last_probability: 1.0,
            draw: Arc::new(draw),
        };
        world.reset(Some(0));
        world
    }

    /// The same environment with another step limit.
    #[must_use]
    pub fn with_limit(mut self, limit: Option<u32>) -> Self {
        self.clock.limit = limit;
        self
    }

    /// The same environment with a grid of its states.
    #[must_use]
    pub fn on_grid(mut self, grid: GridLayout) -> Self {
        self.grid = Some(Arc::new(grid));
        self
    }

    /// The grid of the states, where there is one.
    pub fn grid(&self) -> Option<&GridLayout> {
        self.grid.as_deref()
    }

    /// The names of the actions; numbers by default.
    pub fn action_names(&self) -> Vec<String> {
        let name = |a: usize| self.actions.get(a).map_or_else(|| a.to_string(), |n| (*n).to_owned());
        (0..self.table.actions()).map(name).collect()
    }

    /// The table.
    pub fn transitions(&self) -> &Arc<Transitions> {
        &self.table
    }

    /// The present state.
    pub fn state(&self) -> usize {
        self.state
    }

    /// The probability of the outcome of the last step; 1 after a reset.
    pub fn last_probability(&self) -> f64 {
        self.last_probability
    }

    pub(super) fn rng(&mut self) -> &mut NumpyRng {
        &mut self.rng
    }

    pub(super) fn set_state(&mut self, state: usize) {
        self.state = state;
    }
}

impl Environment for TabularEnv {
    type Observation = usize;

    fn reset(&mut self, seed: Option<u64>) -> usize {
        if let Some(seed) = seed {
            self.rng = NumpyRng::new(seed);
        }
        self.clock.start();
        (self.last_action, self.last_probability) = (None, 1.0);
        self.state = self.table.draw_start(&mut self.rng);
        self.state
    }

    #[inline(always)]
    fn step(&mut self, action: usize) -> Result<TimeStep<usize>> {
        if action >= self.table.actions() {
            return Err(no_such_action(self.name, action, self.table.actions()));
        }
        let outcome = self.table.draw(self.state, action, &mut self.rng);
        self.state = outcome.next;
        (self.last_action, self.last_probability) = (Some(action), outcome.probability);
        Ok(TimeStep {
            observation: outcome.next,
            reward: outcome.reward,
            terminated: outcome.terminated,
            truncated: self.clock.tick(),
        })
    }

    fn actions(&self) -> usize {
        self.table.actions()
    }

    fn render(&self) -> String {
        (self.draw)(self.state, self.last_action)
    }
}

impl FiniteStates for TabularEnv {
    fn states(&self) -> usize {
        self.table.states()
    }
}

/// A map of letters, cut into lines of the same length.
#[derive(Debug, Clone)]
pub(super) struct LetterMap {
    pub rows: usize,
    pub columns: usize,
    pub cells: Vec<u8>,
}

impl LetterMap {
    /// Reads a text map; `known` are the allowed letters.
    pub fn read(text: &str, known: &[u8]) -> Result<Self> {
        let lines: Vec<&[u8]> = text.lines().map(|l| l.trim_end().as_bytes()).filter(|l| !l.is_empty()).collect();
        let columns = lines.first().map_or(0, |l| l.len());
        if columns == 0 {
            return Err(Error::Data("the map is empty".into()));
        }
        for (row, line) in lines.iter().enumerate() {
            if line.len() != columns {
                let width = line.len();
                return Err(Error::Data(format!("map, line {}: {width} letters where the first line has {columns}", row + 1)));
            }
            if let Some(at) = line.iter().position(|c| !known.contains(c)) {
                let letter = String::from_utf8_lossy(&line[at..=at]).into_owned();
                let known = known.iter().map(|&c| format!("\"{}\"", c as char)).collect::<Vec<_>>().join(", ");
                return Err(Error::Data(format!(
                    "map, line {}, column {}: \"{letter}\" means nothing; letters are {known}",
                    row + 1,
                    at + 1
                )));
            }
        }
        Ok(Self { rows: lines.len(), columns, cells: lines.concat() })
    }

    /// Equal probabilities over the cells with a letter.
    pub fn uniform_over(&self, letter: u8) -> Result<Vec<f64>> {
        let count = self.cells.iter().filter(|&&c| c == letter).count();
        if count == 0 {
            return Err(Error::Data(format!("the map has no \"{}\": there is nowhere to start", letter as char)));
        }
        Ok(self.cells.iter().map(|&c| if c == letter { 1.0 / count as f64 } else { 0.0 }).collect())
    }

    /// The cell one step away, or the same one at the edge. Steps are (rows, columns).
    pub fn toward(&self, cell: usize, (down, right): (isize, isize)) -> usize {
        let (row, column) = (cell / self.columns, cell % self.columns);
        let row = row.saturating_add_signed(down).min(self.rows - 1);
        let column = column.saturating_add_signed(right).min(self.columns - 1);
        row * self.columns + column
    }

    /// The map as a grid.
    pub fn grid(&self, arrows: [char; 4]) -> GridLayout {
        GridLayout { columns: self.columns, letters: self.cells.clone(), arrows }
    }

    /// The map with the present cell in square brackets.
    pub fn draw(&self, at: usize) -> String {
        let mut out = String::new();
        for (row, line) in self.cells.chunks(self.columns).enumerate() {
            for (column, &letter) in line.iter().enumerate() {
                let here = row * self.columns + column == at;
                let (open, close) = if here { ('[', ']') } else { (' ', ' ') };
                out.extend([open, letter as char, close]);
            }
            out.push('\n');
        }
        out
    }
}

/// The last action by name, as a line of its own.
pub(super) fn name_action(names: &[&str], action: Option<usize>) -> String {
    action.map_or_else(|| "\n".to_owned(), |a| format!("  ({})\n", names[a]))
}
