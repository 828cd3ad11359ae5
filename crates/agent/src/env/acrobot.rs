//! Acrobot: two links hang from a bar, and only the joint between them has a motor (Sutton 1996).

use std::f64::consts::PI;
use std::hint::black_box;

use ermine_core::Result;

use super::{Environment, StepLimit, TimeStep, no_such_action};
use crate::numpy_rng::NumpyRng;

const DT: f64 = 0.2;
const GRAVITY: f64 = 9.8;
const MAX_SPIN: [f64; 2] = [4.0 * PI, 9.0 * PI];
/// Distance to a link's center of mass (0.25 below is its square); masses, lengths and moments of inertia are 1.
const CENTER: f64 = 0.5;

/// The task: torque -1, 0 or 1 on the joint; every step costs 1 until the tip is a link above the bar. Observations are the
/// cosines and sines of both angles and the two angular velocities.
#[derive(Debug, Clone)]
pub struct Acrobot {
    rng: NumpyRng,
    clock: StepLimit,
    state: [f64; 4],
}

/// The square as `pow(x, 2)`, as in Gymnasium; the system's `pow` and `x * x` differ in the last bit once in a thousand
/// times. The exponent is hidden, or the compiler would use the product.
#[inline(always)]
fn pow2(x: f64) -> f64 {
    x.powf(black_box(2.0))
}

/// Derivatives of (angle 1, angle 2, spin 1, spin 2) under a torque: the equations of Sutton and Barto, in Gymnasium's order of
/// operations.
fn derivatives([a1, a2, s1, s2]: [f64; 4], torque: f64) -> [f64; 4] {
    let (sin2, cos2) = (a2.sin(), a2.cos());
    let d1 = 0.25 + (1.0 + 0.25 + 2.0 * CENTER * cos2) + 1.0 + 1.0;
    let d2 = (0.25 + CENTER * cos2) + 1.0;
    let phi2 = CENTER * GRAVITY * (a1 + a2 - PI / 2.0).cos();
    let phi1 =
        -CENTER * pow2(s2) * sin2 - 2.0 * CENTER * s2 * s1 * sin2 + (CENTER + 1.0) * GRAVITY * (a1 - PI / 2.0).cos() + phi2;
    let spin2 = (torque + d2 / d1 * phi1 - CENTER * pow2(s1) * sin2 - phi2) / (0.25 + 1.0 - pow2(d2) / d1);
    [s1, s2, -(d2 * spin2 + phi1) / d1, spin2]
}

/// One step of the classic Runge–Kutta method.
fn runge_kutta(state: [f64; 4], torque: f64) -> [f64; 4] {
    let half = DT / 2.0;
    let along = |k: [f64; 4], h: f64| std::array::from_fn(|i| state[i] + h * k[i]);
    let k1 = derivatives(state, torque);
    let k2 = derivatives(along(k1, half), torque);
    let k3 = derivatives(along(k2, half), torque);
    let k4 = derivatives(along(k3, DT), torque);
    std::array::from_fn(|i| state[i] + DT / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]))
}

fn wrap(mut angle: f64) -> f64 {
    while angle > PI {
        angle -= 2.0 * PI;
    }
    while angle < -PI {
        angle += 2.0 * PI;
    }
    angle
}

/// Sine and cosine of a small angle in f32, by numpy's polynomials: Gymnasium computes the first observation of an
/// episode in f32.
fn single_sin_cos(x: f32) -> (f32, f32) {
    const S: [u32; 4] = [0xBE2A_AAAB, 0x3C08_88CD, 0xB950_35DD, 0x363E_9DDE];
    const C: [u32; 4] = [0xBF00_0000, 0x3D2A_AA9E, 0xBAB6_036E, 0x37CC_730B];
    let [s3, s5, s7, s9] = S.map(f32::from_bits);
    let [c2, c4, c6, c8] = C.map(f32::from_bits);
    let z = x * x;
    let sin = s9.mul_add(z, s7).mul_add(z, s5).mul_add(z, s3).mul_add(z, 0.0).mul_add(x, x);
    let cos = c8.mul_add(z, c6).mul_add(z, c4).mul_add(z, c2).mul_add(z, 1.0);
    (sin, cos)
}

impl Default for Acrobot {
    /// The usual task of 500 steps.
    fn default() -> Self {
        Self::new(Some(500))
    }
}

impl Acrobot {
    /// An acrobot with a limit of steps.
    pub fn new(limit: Option<u32>) -> Self {
        let mut acrobot = Self { rng: NumpyRng::new(0), clock: StepLimit::new(limit), state: [0.0; 4] };
        acrobot.reset(Some(0));
        acrobot
    }

    /// Both angles, then both angular velocities.
    pub fn state(&self) -> [f64; 4] {
        self.state
    }
}

impl Environment for Acrobot {
    type Observation = [f32; 6];

    fn reset(&mut self, seed: Option<u64>) -> [f32; 6] {
        if let Some(seed) = seed {
            self.rng = NumpyRng::new(seed);
        }
        self.clock.start();
        let single: [f32; 4] = std::array::from_fn(|_| self.rng.uniform(-0.1, 0.1) as f32);
        self.state = single.map(f64::from);
        let ((sin1, cos1), (sin2, cos2)) = (single_sin_cos(single[0]), single_sin_cos(single[1]));
        [cos1, sin1, cos2, sin2, single[2], single[3]]
    }

    fn step(&mut self, action: usize) -> Result<TimeStep<[f32; 6]>> {
        if action > 2 {
            return Err(no_such_action("acrobot", action, 3));
        }
        let [a1, a2, s1, s2] = runge_kutta(self.state, action as f64 - 1.0);
        let spin = |s: f64, limit: f64| s.max(-limit).min(limit);
        let (a1, a2) = (wrap(a1), wrap(a2));
        self.state = [a1, a2, spin(s1, MAX_SPIN[0]), spin(s2, MAX_SPIN[1])];
        let terminated = -a1.cos() - (a2 + a1).cos() > 1.0;
        let observation = [a1.cos(), a1.sin(), a2.cos(), a2.sin(), self.state[2], self.state[3]].map(|v| v as f32);
        let truncated = self.clock.tick();
        Ok(TimeStep { observation, reward: if terminated { 0.0 } else { -1.0 }, terminated, truncated })
    }

    fn actions(&self) -> usize {
        3
    }

    fn render(&self) -> String {
        const SIZE: usize = 21;
        let [a1, a2, ..] = self.state;
        let mut grid = vec![vec![b' '; 2 * SIZE]; SIZE];
        let mut dot = |x: f64, y: f64, mark: u8| {
            let scale = (SIZE - 1) as f64 / 4.4;
            let (row, column) = ((2.2 - y) * scale, (x + 2.2) * 2.0 * scale);
            grid[(row.round() as usize).min(SIZE - 1)][(column.round() as usize).min(2 * SIZE - 1)] = mark;
        };
        let (knee_x, knee_y) = (a1.sin(), -a1.cos());
        let (tip_x, tip_y) = (knee_x + (a1 + a2).sin(), knee_y - (a1 + a2).cos());
        for i in 0..=8 {
            let t = f64::from(i) / 8.0;
            dot(knee_x * t, knee_y * t, b'.');
            dot(knee_x + (tip_x - knee_x) * t, knee_y + (tip_y - knee_y) * t, b'.');
        }
        dot(0.0, 0.0, b'+');
        dot(knee_x, knee_y, b'o');
        dot(tip_x, tip_y, b'O');
        grid.iter().map(|row| String::from_utf8_lossy(row).trim_end().to_owned() + "\n").collect()
    }
}
