//! Integration tests, one binary for the crate.

mod agents;
mod binary;
mod browser;
mod command;
mod course;
mod ensembles;
mod glm;
mod networks;
mod report;
mod tune;
mod unsupervised;
