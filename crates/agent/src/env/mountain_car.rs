//! MountainCar: an engine too weak for the slope must build up momentum (Moore 1990).

use ermine_core::Result;

use super::{Environment, StepLimit, TimeStep, no_such_action};
use crate::numpy_rng::NumpyRng;

const LOW: f64 = -1.2;
const HIGH: f64 = 0.6;
const MAX_SPEED: f64 = 0.07;
const GOAL: f64 = 0.5;

/// The task: actions push left, coast, push right; every step costs 1 until the flag at 0.5.
#[derive(Debug, Clone)]
pub struct MountainCar {
    rng: NumpyRng,
    clock: StepLimit,
    position: f64,
    velocity: f64,
}

impl Default for MountainCar {
    /// The usual task of 200 steps.
    fn default() -> Self {
        Self::new(Some(200))
    }
}

impl MountainCar {
    /// A car with a limit of steps.
    pub fn new(limit: Option<u32>) -> Self {
        let mut car = Self { rng: NumpyRng::new(0), clock: StepLimit::new(limit), position: 0.0, velocity: 0.0 };
        car.reset(Some(0));
        car
    }

    /// Position and velocity.
    pub fn state(&self) -> [f64; 2] {
        [self.position, self.velocity]
    }
}

impl Environment for MountainCar {
    type Observation = [f32; 2];

    fn reset(&mut self, seed: Option<u64>) -> [f32; 2] {
        if let Some(seed) = seed {
            self.rng = NumpyRng::new(seed);
        }
        self.clock.start();
        (self.position, self.velocity) = (self.rng.uniform(-0.6, -0.4), 0.0);
        self.state().map(|v| v as f32)
    }

    #[inline]
    fn step(&mut self, action: usize) -> Result<TimeStep<[f32; 2]>> {
        if action > 2 {
            return Err(no_such_action("mountain car", action, 3));
        }
        let push = (action as f64 - 1.0) * 0.001;
        self.velocity = (self.velocity + (push + (3.0 * self.position).cos() * -0.0025)).clamp(-MAX_SPEED, MAX_SPEED);
        self.position = (self.position + self.velocity).clamp(LOW, HIGH);
        if self.position == LOW && self.velocity < 0.0 {
            self.velocity = 0.0;
        }
        let terminated = self.position >= GOAL && self.velocity >= 0.0;
        let truncated = self.clock.tick();
        Ok(TimeStep { observation: self.state().map(|v| v as f32), reward: -1.0, terminated, truncated })
    }

    fn actions(&self) -> usize {
        3
    }

    fn render(&self) -> String {
        const WIDTH: usize = 55;
        const HEIGHT: usize = 8;
        let place = |column: usize| LOW + (HIGH - LOW) * column as f64 / (WIDTH - 1) as f64;
        let level = |x: f64| (((3.0 * x).sin() * 0.5 + 0.5) * (HEIGHT - 1) as f64).round() as usize;
        let column = |x: f64| ((x - LOW) / (HIGH - LOW) * (WIDTH - 1) as f64).round() as usize;
        let mut rows = vec![vec![b' '; WIDTH]; HEIGHT];
        (0..WIDTH).for_each(|c| rows[level(place(c))][c] = b'.');
        rows[level(GOAL)][column(GOAL)] = b'F';
        rows[level(self.position)][column(self.position)] = b'o';
        let lines = rows.iter().rev().map(|row| String::from_utf8_lossy(row).trim_end().to_owned() + "\n");
        lines.collect::<String>() + &format!("position {:+.3}, velocity {:+.4}\n", self.position, self.velocity)
    }
}
