//! "Did you mean …?": the nearest of a list of known words.
//!
//! Nearness is the optimal string alignment distance (Damerau 1964: insert, delete, replace one letter, or swap two neighbours).

/// The candidate most like `word`, if one is near enough that a person probably meant it; the first one wins a tie.
///
/// Letter case does not count. A word of three letters or more that only one candidate begins with also counts as near.
pub fn did_you_mean<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = letters(word);
    if word.is_empty() || word.len() > LONGEST {
        return None;
    }
    let mut nearest: Option<(usize, &str)> = None;
    let mut begins = Vec::new();
    for candidate in candidates {
        let other = letters(candidate);
        let distance = alignment_distance(&word, &other);
        let allowed = (word.len().max(other.len()) / 3).max(1);
        if distance <= allowed && distance < word.len().min(other.len()) && nearest.is_none_or(|(least, _)| distance < least) {
            nearest = Some((distance, candidate));
        }
        if word.len() >= 3 && other.starts_with(&word) {
            begins.push(candidate);
        }
    }
    match (nearest, begins.as_slice()) {
        (Some((_, candidate)), _) => Some(candidate),
        (None, [candidate]) => Some(candidate),
        _ => None,
    }
}

/// Longer words are not typing mistakes, and the distance takes quadratic time.
const LONGEST: usize = 100;

fn letters(word: &str) -> Vec<char> {
    word.chars().flat_map(char::to_lowercase).collect()
}

/// Fewest single edits (insert, delete, replace, swap neighbours) from `a` to `b`, no part edited twice.
fn alignment_distance(a: &[char], b: &[char]) -> usize {
    let mut before = vec![0; b.len() + 1]; // row i - 2
    let mut above: Vec<usize> = (0..=b.len()).collect(); // row i - 1
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_single_edits() {
        let cases =
            [("", "abc", 3), ("kitten", "sitting", 3), ("snaek", "snake", 1), ("cm", "cm", 0), ("ca", "abc", 3), ("flaw", "lawn", 2)];
        for (a, b, expected) in cases {
            assert_eq!(alignment_distance(&letters(a), &letters(b)), expected, "{a} {b}");
            assert_eq!(alignment_distance(&letters(b), &letters(a)), expected, "{b} {a}");
        }
    }

    #[test]
    fn suggests_only_what_is_near() {
        let words = ["law", "anisotropy", "masses", "least-action"];
        assert_eq!(did_you_mean("anisotrpy", words), Some("anisotropy"));
        assert_eq!(did_you_mean("Least_Action", words), Some("least-action"));
        assert_eq!(did_you_mean("aniso", words), Some("anisotropy"), "a beginning");
        assert_eq!(did_you_mean("viscosity", words), None);
        assert_eq!(did_you_mean("x", ["m", "s"]), None, "a single wrong letter could be anything");
        assert_eq!(did_you_mean("CM", ["m", "cm"]), Some("cm"));
        assert_eq!(did_you_mean("", words), None);
        assert_eq!(did_you_mean(&"a".repeat(1_000_000), words), None);
    }
}
