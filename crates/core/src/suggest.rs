//! Nearest names, for "did you mean".

/// The names of `known` that resemble `name`, best first, at most three.
///
/// Resemblance is the Damerau–Levenshtein distance on lower-case letters with `_` and `-` taken as equal; a prefix
/// always counts. Ties keep the order of `known`.
pub fn closest_name<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let fold = |s: &str| s.to_lowercase().replace('_', "-");
    let wanted = fold(name);
    let limit = (wanted.chars().count() / 3).max(1);
    let mut matches: Vec<(usize, &str)> = known
        .into_iter()
        .filter_map(|candidate| {
            let folded = fold(candidate);
            let distance = strsim::damerau_levenshtein(&wanted, &folded);
            if distance <= limit {
                Some((distance, candidate))
            } else if wanted.len() >= 2 && (folded.starts_with(&wanted) || wanted.starts_with(&folded)) {
                Some((limit + 1, candidate))
            } else {
                None
            }
        })
        .collect();
    matches.sort_by_key(|(distance, _)| *distance);
    matches.into_iter().take(3).map(|(_, c)| c.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::closest_name;

    #[test]
    fn a_typo_finds_the_name_and_nonsense_finds_none() {
        assert_eq!(closest_name("rigde", ["ols", "ridge", "tree"]), ["ridge"]);
        assert_eq!(closest_name("max-depth", ["max_depth", "min_depth"])[0], "max_depth");
        assert!(closest_name("zebra", ["ols", "ridge"]).is_empty());
    }
}
