//! The shape of one row of a batch between two layers.

use serde::{Deserialize, Serialize};

use ermine_core::{Error, Result};

/// The shape of one row: an image of `height` x `width` pixels with `channels` numbers each, or plain columns, which
/// are the channels of one pixel. In memory the channels of a pixel are side by side, then come the pixels of a line,
/// then the lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shape {
    /// Lines.
    pub height: usize,
    /// Pixels per line.
    pub width: usize,
    /// Numbers per pixel.
    pub channels: usize,
}

impl Shape {
    /// Plain columns.
    pub const fn flat(columns: usize) -> Self {
        Self { height: 1, width: 1, channels: columns }
    }

    /// An image.
    pub const fn image(height: usize, width: usize, channels: usize) -> Self {
        Self { height, width, channels }
    }

    /// Numbers per row; none on overflow.
    pub fn checked_len(self) -> Option<usize> {
        self.height.checked_mul(self.width)?.checked_mul(self.channels)
    }

    /// Numbers per row.
    pub fn len(self) -> usize {
        self.height * self.width * self.channels
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Pixels per row.
    pub fn points(self) -> usize {
        self.height * self.width
    }

    /// Whether a row is plain columns.
    pub fn is_flat(self) -> bool {
        self.height == 1 && self.width == 1
    }
}

/// `784`, `28x28` for one channel, or `32x32x3`.
impl std::fmt::Display for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.is_flat() {
            true => write!(f, "{}", self.channels),
            false => write!(f, "{}x{}x{}", self.height, self.width, self.channels),
        }
    }
}

impl std::str::FromStr for Shape {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        let bad = || Error::Data(format!("\"{text}\" is no shape; write 784, 28x28 or 32x32x3 (height, width, channels)"));
        let lengths: Vec<usize> = text.trim().split('x').map(|p| p.trim().parse().map_err(|_| bad())).collect::<Result<_>>()?;
        let shape = match lengths[..] {
            [n] => Self::flat(n),
            [h, w] => Self::image(h, w, 1),
            [h, w, c] => Self::image(h, w, c),
            _ => return Err(bad()),
        };
        match shape.checked_len() {
            None => Err(bad()),
            Some(_) => Ok(shape),
        }
    }
}

impl TryFrom<String> for Shape {
    type Error = Error;
    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<Shape> for String {
    fn from(shape: Shape) -> Self {
        shape.to_string()
    }
}
