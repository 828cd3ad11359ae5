//! No code: the features of dependencies that the binary and the Python package share (see `Cargo.toml`).
