//! Progress on the standard error, on a terminal only.

use std::io::IsTerminal;
use std::time::Duration;

use ermine::core::{Flow, Progress};
use indicatif::{ProgressBar, ProgressStyle};

use crate::args::GlobalArgs;

/// A progress bar, or none when the standard error is no terminal or `--quiet` was given.
pub struct ProgressLine(Option<ProgressBar>);

impl ProgressLine {
    pub fn new(everywhere: &GlobalArgs, what: &str) -> Self {
        if everywhere.quiet || everywhere.json || !std::io::stderr().is_terminal() {
            return Self(None);
        }
        let bar = ProgressBar::new_spinner();
        bar.set_style(ProgressStyle::with_template("{spinner} {msg} {elapsed}").expect("the template is sound"));
        bar.set_message(what.to_owned());
        bar.enable_steady_tick(Duration::from_millis(120));
        Self(Some(bar))
    }

    pub fn set_message(&self, what: String) {
        if let Some(bar) = &self.0 {
            bar.set_message(what);
        }
    }

    /// An observer for a fit.
    pub fn observe(&self, what: &str, progress: &Progress) -> Flow {
        if let Some(bar) = &self.0 {
            let mut text = format!("{what}: {} {}", progress.stage, progress.done);
            if let Some(total) = progress.total {
                text += &format!(" of {total}");
            }
            if let Some(objective) = progress.objective {
                text += &format!(", objective {}", crate::text::number(objective));
            }
            bar.set_message(text);
        }
        Flow::Continue
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
