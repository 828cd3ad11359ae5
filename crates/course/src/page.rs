//! The reference page.

use std::fmt::Write;

use crate::CHAPTERS;

/// The page of all theorems as Markdown: theorem, sections of the notes, what it uses, how to run it.
pub fn reference_page() -> String {
    let total: usize = CHAPTERS.iter().map(|c| c.theorems.len()).sum();
    let mut out = format!(
        "# The course\n\n\
         {total} theorems, each of which runs: hypotheses are checked, both sides are computed, and the verdict follows fixed rules. `=` is equality within a\n\
         tolerance, `≤` an inequality, `~` a simulated mean within four standard errors, `→` a limit of which a trend is shown. Where a hypothesis fails the\n\
         verdict is `not_applicable`. Formulas that the lecture notes print wrongly are refuted by a number.\n\n\
         ```sh\nermine course                      # the chapters\nermine course 3                    # the theorems of chapter 3\n\
         ermine course T3.10 --set n=50     # one theorem\nermine course --all                # the table of all verdicts\n```\n\n\
         Notes 000: NUS DSA5105. 001: ETH Introduction to Machine Learning. 002: JHU 601.475. 003: a review outline. 004: AIMS.\n"
    );
    for c in CHAPTERS {
        let _ = writeln!(
            out,
            "\n## {}. {}\n\n| theorem | statement | notes | uses | parameters | test |\n|---|---|---|---|---|---|",
            c.number, c.title
        );
        for t in c.theorems {
            let params: Vec<String> = t.params.iter().map(|p| format!("`{}={}`", p.name, p.default)).collect();
            let data = if t.takes_data { "; DATA" } else { "" };
            let statement = t.statement.replace('|', "\\|");
            let _ = writeln!(
                out,
                "| {} | {statement} | {} | {} | {}{data} | `every_theorem` |",
                t.id,
                t.notes,
                t.uses,
                params.join(" ")
            );
        }
    }
    out
}
