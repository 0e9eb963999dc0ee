//! Text for a terminal. Names from files and arguments may hold what a terminal obeys: escape
//! sequences that set its title or clear it, letters that turn the direction of writing. Here they
//! are made visible instead, as `\u{1b}`.

use std::borrow::Cow;
use std::path::Path;

/// Returns `text` with everything visible that a terminal would obey; lines and tabs stay.
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, |letter| is_obeyed(letter) && letter != '\n' && letter != '\t')
}

/// Returns a name, which is on one line whatever it holds: as [`visible`], with line ends and tabs
/// visible too.
pub fn one_line(text: &str) -> Cow<'_, str> {
    escaped(text, is_obeyed)
}

/// Returns a path as a name on one line.
pub fn of_path(path: &Path) -> String {
    one_line(&path.to_string_lossy()).into_owned()
}

/// Returns a JSON document with everything that a terminal would obey as `\u001b`: the same
/// document.
pub fn json(text: &str) -> Cow<'_, str> {
    // JSON itself writes those below U+0020 so; the others can only stand in its strings.
    if !text.contains(is_hidden_in_json) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        if is_hidden_in_json(letter) { safe.push_str(&format!("\\u{:04x}", u32::from(letter))) } else { safe.push(letter) }
    }
    Cow::Owned(safe)
}

fn is_hidden_in_json(letter: char) -> bool {
    letter >= ' ' && is_obeyed(letter)
}

/// Control characters (C0, DEL, C1), line and paragraph separators, and what turns the direction
/// of writing.
fn is_obeyed(letter: char) -> bool {
    letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn escaped(text: &str, escapes: impl Fn(char) -> bool + Copy) -> Cow<'_, str> {
    if !text.contains(escapes) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        match letter {
            '\n' if escapes(letter) => safe.push_str("\\n"),
            '\t' if escapes(letter) => safe.push_str("\\t"),
            '\r' if escapes(letter) => safe.push_str("\\r"),
            _ if escapes(letter) => safe.extend(letter.escape_unicode()),
            _ => safe.push(letter),
        }
    }
    Cow::Owned(safe)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All that ECMA-48 and Unicode's bidirectional algorithm obey.
    #[test]
    fn nothing_that_a_terminal_obeys_gets_through() {
        let bad = (0..0x20_u32).chain(0x7f..=0x9f).chain(0x202a..=0x202e).chain(0x2066..=0x2069).filter_map(char::from_u32);
        for letter in bad {
            let text = format!("a{letter}b");
            assert!(!one_line(&text).contains(letter), "{letter:?}");
            let kept = matches!(letter, '\n' | '\t');
            assert_eq!(visible(&text).contains(letter), kept, "{letter:?}");
            let document = serde_json::to_string(&text).unwrap();
            assert!(!json(&document).contains(letter), "{letter:?}");
            assert_eq!(serde_json::from_str::<String>(&json(&document)).unwrap(), text, "the same document");
        }
        for text in ["Grüße, 蛇, שלום, 👩‍🔬", "two\nlines"] {
            assert_eq!(visible(text), text);
            assert_eq!(json(text), text);
        }
        assert_eq!(one_line("\x1b]0;PWNED\x07\x1b[2J\nx"), "\\u{1b}]0;PWNED\\u{7}\\u{1b}[2J\\nx");
    }
}
