//! How many tests passed and failed, read from what the test runners write.

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tests {
    pub passed: usize,
    pub failed: usize,
}

impl Tests {
    pub fn add(&mut self, more: Self) {
        self.passed += more.passed;
        self.failed += more.failed;
    }
}

/// Counts of one Rust test binary: `test result: ok. 3 passed; 0 failed; 1 ignored; …`.
pub fn libtest(line: &str) -> Option<Tests> {
    let counts = line.strip_prefix("test result: ")?;
    let number = |what: &str| {
        let before = counts.split(what).next()?;
        before.split_whitespace().last()?.parse().ok()
    };
    Some(Tests { passed: number(" passed;")?, failed: number(" failed;")? })
}

/// Counts of a JUnit report: the attributes of its one `<testsuite …>`.
pub fn junit(report: &str) -> Option<Tests> {
    let suite = report.split("<testsuite ").nth(1)?.split('>').next()?;
    let number = |name: &str| -> Option<usize> {
        let value = suite.split(&format!("{name}=\"")).nth(1)?;
        value.split('"').next()?.parse().ok()
    };
    let failed = number("failures")? + number("errors")?;
    let passed = number("tests")?.checked_sub(failed + number("skipped")?)?;
    Some(Tests { passed, failed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libtest_lines_are_counted_and_others_are_not() {
        let line = "test result: FAILED. 12 passed; 3 failed; 1 ignored; 0 measured; 0 filtered out";
        assert_eq!(libtest(line), Some(Tests { passed: 12, failed: 3 }));
        assert_eq!(libtest("test fits_a_line ... ok"), None);
    }

    #[test]
    fn junit_counts_errors_as_failures_and_leaves_out_the_skipped() {
        let report = r#"<?xml version="1.0"?><testsuites name="pytest tests"><testsuite name="pytest"
            errors="1" failures="2" skipped="3" tests="10" time="0.5"><testcase /></testsuite>"#;
        assert_eq!(junit(report), Some(Tests { passed: 4, failed: 3 }));
        assert_eq!(junit("<html>"), None);
    }
}
