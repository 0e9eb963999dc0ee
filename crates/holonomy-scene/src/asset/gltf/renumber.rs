//! Mentions of clips by their number, which change where a clip is put in front of the others.
//!
//! The core of glTF never names an animation by its number; extensions and extras may. Two forms
//! are known well enough to change: a JSON pointer `/animations/N/...` anywhere in them
//! (KHR_interactivity, NEEDLE_animator and their like), and, in extensions, the fields `animation`
//! and `animations` with the numbers themselves or with `{ "value": [N] }` (KHR_interactivity). In
//! extras a number under these names may mean anything: it is left alone and told.

use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::raw::{Object, RawDocument};

/// JSON that is nested deeper than this is left alone.
const DEEPEST: usize = 64;

/// What was done to the mentions of clips in a document.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Mentions {
    /// Those that were changed.
    pub changed: usize,
    /// Names of fields in extras that may mention clips and were left alone, each once.
    pub left: Vec<String>,
}

impl Mentions {
    /// What the user should know.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.changed > 0 {
            notes.push(format!(
                "the moved clip is the first of the file, so {} mention{} of clips by number in \
                 extensions and extras went up by one",
                self.changed,
                if self.changed == 1 { "" } else { "s" }
            ));
        }
        if !self.left.is_empty() {
            let fields: Vec<String> = self.left.iter().map(|field| format!("`{field}`")).collect();
            notes.push(format!(
                "extras of the file have {}, left as in the source: if these are numbers of \
                 clips, add one to each, as the moved clip is now the first",
                fields.join(", ")
            ));
        }
        notes
    }
}

/// Adds one to every mention of a clip's number.
pub(super) fn shift(raw: &mut RawDocument) -> Mentions {
    let mut mentions = Mentions::default();
    raw.rewrite(|key, value| {
        let place = match key {
            "extensions" => Place::Extensions,
            "extras" => Place::Extras,
            _ => Place::Core,
        };
        changed(value, place, 0, &mut mentions)
    });
    mentions
}

/// Where a value stands.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Place {
    Core,
    Extensions,
    Extras,
}

/// The value with its mentions shifted; `None` if it stays as it is.
fn changed(raw: &RawValue, place: Place, depth: usize, mentions: &mut Mentions) -> Option<Box<RawValue>> {
    let text = raw.get();
    if depth > DEEPEST || !text.contains("animation") {
        return None;
    }
    match text.as_bytes().first()? {
        b'{' => {
            let mut object: Object = serde_json::from_str(text).ok()?;
            let mut any = false;
            for (key, value) in &mut object {
                let inner = match (place, key.as_str()) {
                    (Place::Core, "extensions") => Place::Extensions,
                    (Place::Core, "extras") => Place::Extras,
                    _ => place,
                };
                let own = matches!(key.as_str(), "animation" | "animations").then(|| numbers(value)).flatten();
                let new = match (own, place) {
                    (Some((numbers, value)), Place::Extensions) => {
                        mentions.changed += numbers;
                        to_raw_value(&value).ok()
                    }
                    (Some(_), Place::Extras) => {
                        if !mentions.left.contains(key) {
                            mentions.left.push(key.clone());
                        }
                        None
                    }
                    _ => changed(value, inner, depth + 1, mentions),
                };
                if let Some(new) = new {
                    (*value, any) = (new, true);
                }
            }
            any.then(|| to_raw_value(&object).ok()).flatten()
        }
        b'[' => {
            let mut list: Vec<Box<RawValue>> = serde_json::from_str(text).ok()?;
            let mut any = false;
            for value in &mut list {
                if let Some(new) = changed(value, place, depth + 1, mentions) {
                    (*value, any) = (new, true);
                }
            }
            any.then(|| to_raw_value(&list).ok()).flatten()
        }
        b'"' if place != Place::Core => {
            let pointer: String = serde_json::from_str(text).ok()?;
            let new = shifted_pointer(&pointer)?;
            mentions.changed += 1;
            to_raw_value(&new).ok()
        }
        _ => None,
    }
}

/// `/animations/3/name` as `/animations/4/name`, also after `#`.
fn shifted_pointer(pointer: &str) -> Option<String> {
    let at = pointer.strip_prefix('#').unwrap_or(pointer).strip_prefix("/animations/")?;
    let digits = at.find(|c: char| !c.is_ascii_digit()).unwrap_or(at.len());
    let (number, rest) = at.split_at(digits);
    let number: u64 = number.parse().ok()?;
    let start = &pointer[..pointer.len() - at.len()];
    (rest.is_empty() || rest.starts_with('/')).then(|| format!("{start}{}{rest}", number.saturating_add(1)))
}

/// How many numbers of clips the value of a field `animation` or `animations` holds, and the value
/// with one added to each. `None` where it holds anything else, such as nested objects, which are
/// looked through in turn.
fn numbers(raw: &RawValue) -> Option<(usize, Value)> {
    let add = |number: &Value| number.as_u64().map(|number| Value::from(number.saturating_add(1)));
    let value: Value = serde_json::from_str(raw.get()).ok()?;
    match value {
        Value::Number(_) => Some((1, add(&value)?)),
        Value::Array(list) if !list.is_empty() => Some((list.len(), list.iter().map(add).collect::<Option<_>>()?)),
        Value::Object(mut fields) => {
            let list: Option<Vec<Value>> = fields.get("value")?.as_array()?.iter().map(add).collect();
            let list = list.filter(|list| !list.is_empty())?;
            let count = list.len();
            fields.insert("value".into(), list.into());
            Some((count, Value::Object(fields)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_to_clips_are_shifted_and_others_stay() {
        for (old, new) in [
            ("/animations/0", Some("/animations/1")),
            ("#/animations/9/channels/2", Some("#/animations/10/channels/2")),
            ("/animations/x", None),
            ("/animations/", None),
            ("/animations/1x", None),
            ("/nodes/0/animations/1", None),
            ("/animations/99999999999999999999", None),
        ] {
            assert_eq!(shifted_pointer(old).as_deref(), new, "{old}");
        }
    }
}
