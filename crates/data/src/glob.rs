//! File names by pattern: `*` any characters, `?` one character, `[a-z]` or `[!a-z]` one of a set; none of them matches
//! a `/`.

use std::path::{Component, Path, PathBuf};

use ermine_core::{Error, Result};

/// The files whose path matches, sorted by name.
pub(crate) fn expand(pattern: &str) -> Result<Vec<PathBuf>> {
    let mut paths = vec![PathBuf::new()];
    let components: Vec<Component<'_>> = Path::new(pattern).components().collect();
    for (i, component) in components.iter().enumerate() {
        let Component::Normal(name) = component else {
            paths.iter_mut().for_each(|p| p.push(component));
            continue;
        };
        let last = i + 1 == components.len();
        let text = name.to_string_lossy();
        if !text.contains(['*', '?', '[']) {
            paths.iter_mut().for_each(|p| p.push(name));
            paths.retain(|p| p.exists());
            continue;
        }
        let mut next = Vec::new();
        for folder in paths {
            let at = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
            if !at.is_dir() {
                continue;
            }
            for entry in std::fs::read_dir(at).map_err(|e| Error::io(at, e))? {
                let entry = entry.map_err(|e| Error::io(at, e))?;
                let name = entry.file_name();
                let name = name.to_string_lossy();
                let path = folder.join(entry.file_name());
                // Hidden files match only a pattern that begins with a dot, as in a shell.
                let hidden = name.starts_with('.') && !text.starts_with('.');
                if !hidden && matches(text.as_bytes(), name.as_bytes()) && (if last { path.is_file() } else { path.is_dir() }) {
                    next.push(path);
                }
            }
        }
        paths = next;
    }
    paths.sort();
    Ok(paths)
}

/// Whether `name` matches; works on bytes, so that `?` is one byte of UTF-8 text. Linear in practice: only the last `*`
/// backtracks.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        let step = match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, n));
                p += 1;
                continue;
            }
            Some(b'?') => Some(1),
            Some(b'[') => class(&pattern[p..], name[n]),
            Some(&b) if b == name[n] => Some(1),
            _ => None,
        };
        match (step, star) {
            (Some(length), _) => (p, n) = (p + length, n + 1),
            (None, Some((at, from))) => {
                star = Some((at, from + 1));
                (p, n) = (at + 1, from + 1);
            }
            (None, None) => return false,
        }
    }
    pattern[p..].iter().all(|&b| b == b'*')
}

/// The length of the set `[…]` at the front of `pattern` if `byte` is in it.
fn class(pattern: &[u8], byte: u8) -> Option<usize> {
    let negated = matches!(pattern.get(1), Some(b'!' | b'^'));
    let start = 1 + usize::from(negated);
    let end = start + 1 + pattern.get(start + 1..)?.iter().position(|&b| b == b']')?;
    let (mut i, mut inside) = (start, false);
    while i < end {
        if i + 2 < end && pattern[i + 1] == b'-' {
            inside |= (pattern[i]..=pattern[i + 2]).contains(&byte);
            i += 3;
        } else {
            inside |= pattern[i] == byte;
            i += 1;
        }
    }
    (inside != negated).then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        let m = |p: &str, n: &str| matches(p.as_bytes(), n.as_bytes());
        assert!(m("*.csv", "a.csv") && m("*", "") && m("a*b*c", "aXbYbZc") && m("part-??.csv", "part-01.csv"));
        assert!(!m("*.csv", "a.csv.gz") && !m("a?c", "ac") && !m("", "a"));
        assert!(m("[a-c]x", "bx") && !m("[!a-c]x", "bx") && m("[]]", "]") && !m("[", "a"));
    }

    #[test]
    fn files_come_sorted() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.csv", "a.csv", "c.txt", ".hidden.csv"] {
            std::fs::write(folder.path().join(name), "x\n1\n").unwrap();
        }
        let paths = expand(folder.path().join("*.csv").to_str().unwrap()).unwrap();
        let names: Vec<_> = paths.iter().map(|p| p.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["a.csv", "b.csv"]);
    }
}
