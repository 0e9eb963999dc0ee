//! One line of a text with a caret under the place that is wrong.

use std::ops::Range;

/// Widest line shown; a longer one is cut around the place.
const COLUMNS: usize = 100;
/// Columns a tab is shown as.
const TAB: &str = "    ";

/// `origin:line:column: problem`, the line, and a caret with the hint. `span` is in bytes of `text`; only its first line is marked.
pub(super) fn render(origin: &str, text: &str, span: Range<usize>, problem: &str, hint: &str) -> String {
    let start = text.floor_char_boundary(span.start);
    let (before, after) = text.split_at_checked(start).unwrap_or((text, ""));
    let line = 1 + before.matches('\n').count();
    let before = before.rsplit('\n').next().unwrap_or("");
    let after = after.split('\n').next().unwrap_or("").trim_end_matches('\r');
    let marked = after.get(..after.floor_char_boundary(span.end.saturating_sub(start))).unwrap_or("");
    let after = after.get(marked.len()..).unwrap_or("");

    let (left, indent) = tail(before, COLUMNS / 2);
    let (middle, carets) = head(marked, COLUMNS / 2);
    let (right, _) = head(after, COLUMNS.saturating_sub(indent + carets));
    let (indent, carets) = (" ".repeat(indent), "^".repeat(carets.max(1)));
    let gutter = " ".repeat(line.to_string().len());
    let column = before.chars().count() + 1;
    let shown = format!("  {line} | {left}{middle}{right}");
    let caret = format!("  {gutter} | {indent}{carets} {hint}");
    format!("{origin}:{line}:{column}: {problem}\n{}\n{}", shown.trim_end(), caret.trim_end())
}

/// The beginning of `text` that fits in `columns`, ready to print, and how wide it is.
fn head(text: &str, columns: usize) -> (String, usize) {
    let (mut shown, mut width) = (String::new(), 0);
    for cell in text.chars().map(cell) {
        if width + cell.1 > columns {
            return (shown + "…", width + 1);
        }
        shown.push_str(&cell.0);
        width += cell.1;
    }
    (shown, width)
}

/// The end of `text` that fits in `columns`, ready to print, and how wide it is.
fn tail(text: &str, columns: usize) -> (String, usize) {
    let (mut cells, mut width) = (Vec::new(), 0);
    for cell in text.chars().rev().map(cell) {
        if width + cell.1 > columns {
            cells.push("…".to_owned());
            width += 1;
            break;
        }
        width += cell.1;
        cells.push(cell.0);
    }
    (cells.into_iter().rev().collect(), width)
}

/// What is printed for a character, and how many columns a terminal gives it.
fn cell(c: char) -> (String, usize) {
    match c {
        '\t' => (TAB.to_owned(), TAB.len()),
        // Controls, and marks that would reverse the text around them, would spoil the line.
        c if c.is_control() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}') => {
            ("\u{fffd}".to_owned(), 1)
        }
        // Combining accents and variation selectors.
        '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe00}'..='\u{fe0f}' => (c.to_string(), 0),
        // East Asian wide and full-width forms, and emoji.
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => (c.to_string(), 2),
        c => (c.to_string(), 1),
    }
}

#[cfg(test)]
mod tests {
    use super::render;

    #[test]
    fn caret_stands_under_the_place() {
        assert_eq!(render("f", "a\nbc = 1\r\nd", 2..4, "p", "h"), "f:2:1: p\n  2 | bc = 1\n    | ^^ h");
        assert_eq!(render("f", "\tx = 1", 1..2, "p", ""), "f:1:2: p\n  1 |     x = 1\n    |     ^", "tab");
        assert_eq!(render("f", "蛇 = 1", 6..7, "p", ""), "f:1:5: p\n  1 | 蛇 = 1\n    |      ^", "wide character");
        assert_eq!(render("f", "e\u{301}x", 3..4, "p", ""), "f:1:3: p\n  1 | e\u{301}x\n    |  ^", "combining accent");
        assert_eq!(render("f", "a\0b", 2..3, "p", ""), "f:1:3: p\n  1 | a\u{fffd}b\n    |   ^", "control character");
    }

    #[test]
    fn odd_spans_are_shown_as_well_as_can_be() {
        assert_eq!(render("f", "", 0..0, "p", ""), "f:1:1: p\n  1 |\n    | ^", "empty text");
        assert_eq!(render("f", "ab\n", 9..99, "p", ""), "f:2:1: p\n  2 |\n    | ^", "beyond the end");
        assert_eq!(render("f", "a = [\n1]", 4..8, "p", ""), "f:1:5: p\n  1 | a = [\n    |     ^", "several lines");
        assert_eq!(render("f", "é", 1..2, "p", ""), "f:1:1: p\n  1 | é\n    | ^", "inside a character");
        let long = format!("{} = 1", "x".repeat(100_000));
        let shown = render("f", &long, 99_990..100_004, "p", "");
        assert!(shown.lines().all(|line| line.chars().count() < 120), "{shown}");
        assert!(shown.ends_with("^^^^^^^^^^^^^^"), "{shown}");
    }
}
