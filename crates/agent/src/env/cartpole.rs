//! CartPole: balance a pole on a cart by pushing left or right (Barto, Sutton, Anderson 1983), one or many at a time.

use ermine_core::{Error, Result};
use ermine_math::vectorize::{VectorizedOp, run_vectorized};

use super::{Environment, StepLimit, TimeStep, no_such_action};
use crate::numpy_rng::NumpyRng;

const GRAVITY: f64 = 9.8;
const MASS_POLE: f64 = 0.1;
const TOTAL_MASS: f64 = MASS_POLE + 1.0;
/// Half the length of the pole.
const LENGTH: f64 = 0.5;
const POLE_MOMENT: f64 = MASS_POLE * LENGTH;
const FORCE: f64 = 10.0;
/// Seconds between states.
const TAU: f64 = 0.02;
const ANGLE_LIMIT: f64 = 12.0 * 2.0 * std::f64::consts::PI / 360.0;
const POSITION_LIMIT: f64 = 2.4;
const START: f64 = 0.05;

/// One explicit Euler step of (position, velocity, angle, angular velocity), in Gymnasium's order of operations.
/// Without `EXACT`, a product replaces a slow division.
#[inline(always)]
fn euler<const EXACT: bool>([x, v, angle, spin]: [f64; 4], force: f64, (sin, cos): (f64, f64)) -> [f64; 4] {
    let by_mass = |f: f64| if EXACT { f / TOTAL_MASS } else { f * (1.0 / TOTAL_MASS) };
    let push = by_mass(force + POLE_MOMENT * (spin * spin) * sin);
    let spin_up = (GRAVITY * sin - cos * push) / (LENGTH * (4.0 / 3.0 - by_mass(MASS_POLE * (cos * cos))));
    let speed_up = push - by_mass(POLE_MOMENT * spin_up * cos);
    [x + TAU * v, v + TAU * speed_up, angle + TAU * spin, spin + TAU * spin_up]
}

#[inline(always)]
fn fallen(x: f64, angle: f64) -> bool {
    (x.abs() > POSITION_LIMIT) | (angle.abs() > ANGLE_LIMIT)
}

/// The task. Observations are (position, velocity, angle, angular velocity) in f32; the state is f64. Every step has
/// reward 1, the last one too.
#[derive(Debug, Clone)]
pub struct CartPole {
    rng: NumpyRng,
    clock: StepLimit,
    state: [f64; 4],
    book_reward: bool,
    over: bool,
}

impl Default for CartPole {
    /// The usual task of 500 steps.
    fn default() -> Self {
        Self::new(Some(500), false)
    }
}

impl CartPole {
    /// A cart with a limit of steps. With `book_reward`, steps have reward 0 and the fall -1.
    pub fn new(limit: Option<u32>, book_reward: bool) -> Self {
        let mut cart = Self { rng: NumpyRng::new(0), clock: StepLimit::new(limit), state: [0.0; 4], book_reward, over: false };
        cart.reset(Some(0));
        cart
    }

    /// Position, velocity, angle, angular velocity.
    pub fn state(&self) -> [f64; 4] {
        self.state
    }
}

impl Environment for CartPole {
    type Observation = [f32; 4];

    fn reset(&mut self, seed: Option<u64>) -> [f32; 4] {
        if let Some(seed) = seed {
            self.rng = NumpyRng::new(seed);
        }
        self.clock.start();
        self.over = false;
        self.state = std::array::from_fn(|_| self.rng.uniform(-START, START));
        self.state.map(|v| v as f32)
    }

    #[inline]
    fn step(&mut self, action: usize) -> Result<TimeStep<[f32; 4]>> {
        let force = match action {
            0 => -FORCE,
            1 => FORCE,
            _ => return Err(no_such_action("cartpole", action, 2)),
        };
        self.state = euler::<true>(self.state, force, self.state[2].sin_cos());
        let terminated = fallen(self.state[0], self.state[2]);
        let reward = match (terminated, self.book_reward) {
            (false, false) => 1.0,
            (false, true) => 0.0,
            // Steps after the fall have no reward.
            (true, false) => f64::from(!self.over),
            (true, true) => -1.0,
        };
        self.over |= terminated;
        let truncated = self.clock.tick();
        Ok(TimeStep { observation: self.state.map(|v| v as f32), reward, terminated, truncated })
    }

    fn actions(&self) -> usize {
        2
    }

    fn render(&self) -> String {
        const WIDTH: usize = 49;
        let [x, _, angle, _] = self.state;
        let at = |x: f64| (((x / POSITION_LIMIT + 1.0) / 2.0).clamp(0.0, 1.0) * (WIDTH - 1) as f64).round() as usize;
        let mut out = String::new();
        for height in (1..=4).rev() {
            let mut line = vec![b' '; WIDTH];
            line[at(x + 0.25 * f64::from(height) * angle.sin())] = b'|';
            out += String::from_utf8_lossy(&line).trim_end();
            out.push('\n');
        }
        let mut track = vec![b'-'; WIDTH];
        track[at(x)] = b'#';
        out += &String::from_utf8_lossy(&track);
        out + &format!("\nposition {x:+.3}, angle {:+.2} degrees\n", angle.to_degrees())
    }
}

/// Many carts stepped together. A cart whose episode ended restarts on the next step, whose action is ignored and whose
/// reward is 0 (Gymnasium's "next step" reset).
///
/// With `exact`, sines and cosines are the system's and states are bit for bit those of Gymnasium's vector environment;
/// otherwise they are polynomials, correct to the last bit or the one before, that the compiler vectorizes.
#[derive(Debug, Clone)]
pub struct CartPoleVec {
    rng: NumpyRng,
    exact: bool,
    limit: u32,
    state: [Vec<f64>; 4],
    steps: Vec<u32>,
    /// Rows of four numbers, one row per cart.
    observations: Vec<f32>,
    rewards: Vec<f32>,
    terminated: Vec<bool>,
    truncated: Vec<bool>,
    done: Vec<bool>,
    any_done: bool,
}

impl CartPoleVec {
    /// `width` carts with 500 steps per episode.
    pub fn new(width: usize, exact: bool) -> Result<Self> {
        if width == 0 {
            return Err(Error::Data("a vector of carts needs at least one cart".into()));
        }
        let mut carts = Self {
            rng: NumpyRng::new(0),
            exact,
            limit: 500,
            state: std::array::from_fn(|_| vec![0.0; width]),
            steps: vec![0; width],
            observations: vec![0.0; 4 * width],
            rewards: vec![0.0; width],
            terminated: vec![false; width],
            truncated: vec![false; width],
            done: vec![false; width],
            any_done: false,
        };
        carts.reset(Some(0));
        Ok(carts)
    }

    /// The number of carts.
    pub fn width(&self) -> usize {
        self.steps.len()
    }

    /// Resets all carts.
    pub fn reset(&mut self, seed: Option<u64>) {
        if let Some(seed) = seed {
            self.rng = NumpyRng::new(seed);
        }
        for part in &mut self.state {
            part.fill_with(|| self.rng.uniform(-START, START));
        }
        self.steps.fill(0);
        for flags in [&mut self.terminated, &mut self.truncated, &mut self.done] {
            flags.fill(false);
        }
        self.rewards.fill(0.0);
        self.any_done = false;
        self.observe();
    }

    /// One step of every cart: action 1 pushes right, 0 left.
    pub fn step(&mut self, actions: &[u8]) -> Result<()> {
        if actions.len() != self.width() {
            return Err(Error::Length { what: "actions of the carts".into(), expected: self.width(), found: actions.len() });
        }
        if let Some(cart) = actions.iter().position(|&a| a > 1) {
            return Err(no_such_action(&format!("cartpole {cart}"), actions[cart].into(), 2));
        }
        let mut any = match self.exact {
            true => self.advance(actions),
            false => run_vectorized(CartPoleStepOp { carts: self, actions }),
        };
        self.rewards.fill(1.0);
        if self.any_done {
            any = self.restart();
        }
        if any {
            for i in 0..self.done.len() {
                self.done[i] = self.terminated[i] | self.truncated[i];
            }
        }
        self.any_done = any;
        self.observe();
        Ok(())
    }

    /// Moves all carts and returns whether one of them has ended.
    #[inline(always)]
    fn advance(&mut self, actions: &[u8]) -> bool {
        match self.exact {
            true => advance::<true>(&mut self.state, actions, f64::sin_cos),
            false => advance::<false>(&mut self.state, actions, small_sin_cos),
        }
        let n = actions.len();
        let [x, _, angle, _] = &self.state;
        let (x, angle, steps) = (&x[..n], &angle[..n], &mut self.steps[..n]);
        let (terminated, truncated) = (&mut self.terminated[..n], &mut self.truncated[..n]);
        let mut any = false;
        for i in 0..n {
            steps[i] += 1;
            terminated[i] = fallen(x[i], angle[i]);
            truncated[i] = steps[i] >= self.limit;
            any |= terminated[i] | truncated[i];
        }
        any
    }

    /// Restarts the carts whose last step ended an episode; true when one of the others has ended now.
    fn restart(&mut self) -> bool {
        let ended: Vec<usize> = (0..self.done.len()).filter(|&i| self.done[i]).collect();
        // numpy fills its 4 x n block row by row.
        for part in &mut self.state {
            for &i in &ended {
                part[i] = self.rng.uniform(-START, START);
            }
        }
        for &i in &ended {
            (self.steps[i], self.rewards[i], self.terminated[i], self.truncated[i]) = (0, 0.0, false, false);
        }
        self.done.fill(false);
        self.terminated.iter().zip(&self.truncated).any(|(a, b)| a | b)
    }

    fn observe(&mut self) {
        run_vectorized(CartPoleObserveOp(self));
    }

    #[inline(always)]
    fn write_observations(&mut self) {
        let n = self.steps.len();
        let [x, v, angle, spin] = &self.state;
        let (x, v, angle, spin) = (&x[..n], &v[..n], &angle[..n], &spin[..n]);
        for (i, row) in self.observations.chunks_exact_mut(4).enumerate() {
            row.copy_from_slice(&[x[i] as f32, v[i] as f32, angle[i] as f32, spin[i] as f32]);
        }
    }

    /// Positions, velocities, angles, angular velocities.
    pub fn state(&self) -> &[Vec<f64>; 4] {
        &self.state
    }

    /// Rows of four numbers, one row per cart.
    pub fn observations(&self) -> &[f32] {
        &self.observations
    }

    /// The rewards of the last step.
    pub fn rewards(&self) -> &[f32] {
        &self.rewards
    }

    /// Which carts terminated in the last step.
    pub fn terminated(&self) -> &[bool] {
        &self.terminated
    }

    /// Which carts were truncated in the last step.
    pub fn truncated(&self) -> &[bool] {
        &self.truncated
    }
}

/// A step of all carts, vectorized.
struct CartPoleStepOp<'a> {
    carts: &'a mut CartPoleVec,
    actions: &'a [u8],
}

impl VectorizedOp for CartPoleStepOp<'_> {
    type Out = bool;
    #[inline(always)]
    fn run(self) -> bool {
        self.carts.advance(self.actions)
    }
}

/// The observations of all carts, vectorized.
struct CartPoleObserveOp<'a>(&'a mut CartPoleVec);

impl VectorizedOp for CartPoleObserveOp<'_> {
    type Out = ();
    #[inline(always)]
    fn run(self) {
        self.0.write_observations();
    }
}

#[inline(always)]
fn advance<const EXACT: bool>(state: &mut [Vec<f64>; 4], actions: &[u8], sin_cos: impl Fn(f64) -> (f64, f64)) {
    let n = actions.len();
    let [x, v, angle, spin] = state;
    // Slices of one length let the compiler drop the bounds checks and vectorize.
    let (x, v, angle, spin) = (&mut x[..n], &mut v[..n], &mut angle[..n], &mut spin[..n]);
    for i in 0..n {
        let force = f64::from(actions[i]) * (2.0 * FORCE) - FORCE;
        [x[i], v[i], angle[i], spin[i]] = euler::<EXACT>([x[i], v[i], angle[i], spin[i]], force, sin_cos(angle[i]));
    }
}

/// Sine and cosine for angles up to π/4, by the polynomials of fdlibm's kernels. Carts fall at 0.21, and a fallen cart
/// restarts on the next step, whatever its angle was.
#[inline(always)]
fn small_sin_cos(x: f64) -> (f64, f64) {
    const S: [f64; 6] = [
        -0.16666666666666632,
        0.00833333333332249,
        -0.0001984126982985795,
        2.7557313707070068e-06,
        -2.5050760253406863e-08,
        1.58969099521155e-10,
    ];
    const C: [f64; 6] = [
        0.0416666666666666,
        -0.001388888888887411,
        2.480158728947673e-05,
        -2.7557314351390663e-07,
        2.087572321298175e-09,
        -1.1359647557788195e-11,
    ];
    let z = x * x;
    let sin = x + x * z * (S[0] + z * (S[1] + z * (S[2] + z * (S[3] + z * (S[4] + z * S[5])))));
    let tail = z * z * (C[0] + z * (C[1] + z * (C[2] + z * (C[3] + z * (C[4] + z * C[5])))));
    let half = 0.5 * z;
    let near = 1.0 - half;
    (sin, near + (((1.0 - near) - half) + tail))
}
