//! Taxi: fetch a passenger at one of four pads and deliver at another (Dietterich 2000).

use ermine_core::{Error, Result};

use super::table::name_action;
use super::{Environment, FiniteStates, TabularEnv, TimeStep};
use crate::mdp::{Transition, Transitions};

const MAP: [&[u8]; 7] =
    [b"+---------+", b"|R: | : :G|", b"| : | : : |", b"| : : : : |", b"| | : | : |", b"|Y| : |B: |", b"+---------+"];
const PADS: [(usize, usize); 4] = [(0, 0), (0, 4), (4, 0), (4, 3)];
const ABOARD: usize = 4;
const NAMES: [&str; 6] = ["South", "North", "East", "West", "Pickup", "Dropoff"];

/// The taxi: 500 states ((row*5 + column)*5 + passenger)*4 + destination, 404 of them reachable; actions south, north,
/// east, west, pick up, drop. A step costs 1, a wrong pick-up or drop 10, delivery has reward 20. With the passenger
/// aboard, dropping at another pad is allowed and costs a step.
#[derive(Clone)]
pub struct Taxi {
    world: TabularEnv,
    /// Probability that the passenger changes the destination in an episode, once.
    fickle: Option<f64>,
    /// Whether that can still happen in this episode.
    wavers: bool,
}

fn encode(row: usize, column: usize, passenger: usize, destination: usize) -> usize {
    ((row * 5 + column) * 5 + passenger) * 4 + destination
}

/// Row, column, passenger, destination of a state.
fn decode(state: usize) -> (usize, usize, usize, usize) {
    (state / 100, state / 20 % 5, state / 4 % 5, state % 4)
}

fn open(row: usize, wall: usize) -> bool {
    MAP[row + 1][wall] == b':'
}

/// The neighboring cell to the south, north, east or west, if the way is free.
fn drive(row: usize, column: usize, direction: usize) -> Option<(usize, usize)> {
    match direction {
        0 if row < 4 => Some((row + 1, column)),
        1 if row > 0 => Some((row - 1, column)),
        2 if open(row, 2 * column + 2) => Some((row, column + 1)),
        3 if open(row, 2 * column) => Some((row, column - 1)),
        _ => None,
    }
}

/// The outcomes of one state and action; `dry` is the probability of the intended move.
fn outcomes(state: usize, action: usize, dry: Option<f64>) -> Vec<Transition> {
    let (row, column, passenger, destination) = decode(state);
    let certain = |next, reward, terminated| vec![Transition { probability: 1.0, next, reward, terminated }];
    let pad = PADS.iter().position(|&p| p == (row, column));
    match action {
        4 if passenger < ABOARD && PADS[passenger] == (row, column) => {
            certain(encode(row, column, ABOARD, destination), -1.0, false)
        }
        5 if passenger == ABOARD && pad == Some(destination) => {
            certain(encode(row, column, destination, destination), 20.0, true)
        }
        5 if passenger == ABOARD
            && let Some(pad) = pad =>
        {
            certain(encode(row, column, pad, destination), -1.0, false)
        }
        4 | 5 => certain(state, -10.0, false),
        _ => {
            let to = |direction: usize, probability: f64| {
                let (row, column) = drive(row, column, direction).unwrap_or((row, column));
                Transition { probability, next: encode(row, column, passenger, destination), reward: -1.0, terminated: false }
            };
            let Some(dry) = dry else { return vec![to(action, 1.0)] };
            // In the rain the taxi drifts to its left or right; not where the way ahead is blocked.
            let drift = (1.0 - dry) / 2.0;
            if drive(row, column, action).is_none() {
                return [dry, drift, drift].map(|p| Transition { probability: p, ..to(action, p) }).to_vec();
            }
            let (left, right) = [(2, 3), (3, 2), (1, 0), (0, 1)][action];
            vec![to(action, dry), to(left, drift), to(right, drift)]
        }
    }
}

impl Taxi {
    /// A taxi with 200 steps per episode. `rain` is the probability that a move goes as intended (0.8 in Gymnasium's
    /// rain), `fickle` that the passenger changes the destination once (0.3 there).
    pub fn new(rain: Option<f64>, fickle: Option<f64>) -> Result<Self> {
        for (name, p) in [("rain", rain), ("fickle", fickle)] {
            if let Some(p) = p.filter(|p| !(0.0..=1.0).contains(p)) {
                return Err(Error::Data(format!("{name} {p} is not a probability")));
            }
        }
        let counts: Vec<f64> = (0..500)
            .map(|state| {
                let (_, _, passenger, destination) = decode(state);
                if passenger < ABOARD && passenger != destination { 1.0 } else { 0.0 }
            })
            .collect();
        let total: f64 = counts.iter().sum();
        let start = counts.iter().map(|c| c / total).collect();
        let table = Transitions::new(500, 6, start, |state, action| outcomes(state, action, rain))?;
        Ok(Self { world: TabularEnv::new("taxi", &NAMES, table, Some(200), draw), fickle, wavers: false })
    }

    /// The same taxi with another step limit.
    #[must_use]
    pub fn with_limit(mut self, limit: Option<u32>) -> Self {
        self.world = self.world.with_limit(limit);
        self
    }

    /// Whether the passenger may change the destination: the table is then not the complete environment.
    pub fn is_fickle(&self) -> bool {
        self.fickle.is_some()
    }

    /// The tabular environment. With a fickle passenger the table is not the complete environment.
    pub fn world(&self) -> &TabularEnv {
        &self.world
    }

    /// The actions that change something in a state.
    pub fn action_mask(state: usize) -> [bool; 6] {
        let (row, column, passenger, _) = decode(state);
        let pad = PADS.iter().position(|&p| p == (row, column));
        let moves = |direction| drive(row, column, direction).is_some();
        [moves(0), moves(1), moves(2), moves(3), pad == Some(passenger), passenger == ABOARD && pad.is_some()]
    }
}

impl Environment for Taxi {
    type Observation = usize;

    fn reset(&mut self, seed: Option<u64>) -> usize {
        let state = self.world.reset(seed);
        self.wavers = match self.fickle {
            Some(p) => self.world.rng().random() < p,
            None => false,
        };
        state
    }

    #[inline(always)]
    fn step(&mut self, action: usize) -> Result<TimeStep<usize>> {
        let before = self.world.state();
        let mut step = self.world.step(action)?;
        if self.wavers {
            let ((r0, c0, aboard, destination), (r1, c1, passenger, _)) = (decode(before), decode(step.observation));
            if aboard == ABOARD && (r0, c0) != (r1, c1) {
                self.wavers = false;
                let drawn = self.world.rng().integers(3) as usize;
                let other = drawn + usize::from(drawn >= destination);
                step.observation = encode(r1, c1, passenger, other);
                self.world.set_state(step.observation);
            }
        }
        Ok(step)
    }

    fn actions(&self) -> usize {
        6
    }

    fn render(&self) -> String {
        self.world.render()
    }
}

impl FiniteStates for Taxi {
    fn states(&self) -> usize {
        500
    }
}

/// The map with the taxi in square brackets (round ones with the passenger aboard); below it where passenger and
/// destination are.
fn draw(state: usize, action: Option<usize>) -> String {
    let (row, column, passenger, destination) = decode(state);
    let mut map: Vec<Vec<u8>> = MAP.iter().map(|line| line.to_vec()).collect();
    let (open, close) = if passenger == ABOARD { (b'(', b')') } else { (b'[', b']') };
    let (line, at) = (row + 1, 2 * column + 1);
    map[line][at - 1] = open;
    map[line][at + 1] = close;
    let mut out: String = map.iter().map(|line| String::from_utf8_lossy(line).into_owned() + "\n").collect();
    let place = |pad: usize| ["R", "G", "Y", "B", "aboard"][pad];
    out += &format!("passenger {}, destination {}\n", place(passenger), place(destination));
    out + &name_action(&NAMES, action)
}
