//! Notes of a run that differ only in their numbers, merged into one.

use indexmap::{IndexMap, IndexSet};

/// As many notes of a kind, or fewer, stay as they are.
const FEW: usize = 2;

/// How many of the others are named, beside the first and the last.
const NAMED: usize = 3;

/// The notes, each once, in their order. Where more than two say the same with other numbers, the
/// first one stands for all and names some.
pub(crate) fn merged(notes: Vec<String>) -> Vec<String> {
    let mut groups: IndexMap<Vec<String>, IndexSet<String>> = IndexMap::new();
    for note in notes {
        groups.entry(words(&note)).or_default().insert(note);
    }
    let groups = groups.into_values().map(|group| group.into_iter().collect::<Vec<_>>());
    groups.flat_map(|group| if group.len() > FEW { vec![one(&group)] } else { group }).collect()
}

/// What stands between the numbers of a note.
fn words(note: &str) -> Vec<String> {
    parts(note).into_iter().map(|(part, number)| if number { "0".into() } else { part.into() }).collect()
}

/// The numbers of a note and the text between them, and which is which.
fn parts(note: &str) -> Vec<(&str, bool)> {
    let bytes = note.as_bytes();
    let digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
    // A full stop between digits belongs to the number.
    let inside = |i: usize| digit(i) || (bytes.get(i) == Some(&b'.') && i > 0 && digit(i - 1) && digit(i + 1));
    let mut parts = Vec::new();
    let mut start = 0;
    while start < note.len() {
        let number = inside(start);
        let end = (start + 1..note.len()).find(|&i| inside(i) != number).unwrap_or(note.len());
        parts.push((&note[start..end], number));
        start = end;
    }
    parts
}

/// One note for a group whose members differ in numbers alone.
fn one(group: &[String]) -> String {
    let numbers =
        |note: &String| -> Vec<String> { parts(note).into_iter().filter(|(_, number)| *number).map(|(part, _)| part.to_owned()).collect() };
    let rows: Vec<Vec<String>> = group.iter().map(numbers).collect();
    let columns = rows.first().map_or(0, Vec::len);
    let varying: Vec<usize> = (0..columns).filter(|&c| rows.iter().any(|row| row[c] != rows[0][c])).collect();
    let told = |row: &Vec<String>| {
        let own: Vec<&str> = varying.iter().map(|&c| row[c].as_str()).collect();
        if own.len() == 1 { own[0].to_owned() } else { format!("({})", own.join(", ")) }
    };
    let others: Vec<String> = rows.iter().skip(1).map(told).collect();
    let list = match others.as_slice() {
        [first @ .., last] if first.len() > NAMED => format!("{}, … {last}", first[..NAMED].join(", ")),
        few => few.join(", "),
    };
    let first = rows.first().map(told).unwrap_or_default();
    format!("{}; the same {} times more, with {list} in place of {first}", group[0], others.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_that_differ_in_numbers_become_one() {
        let open = |part: usize, rim: usize| format!("part {part} is open ({rim} rim edges)");
        let mut notes = vec!["the unit is taken as 1 m".to_owned()];
        notes.extend((0..82).map(|part| open(part, 4)));
        let said = merged(notes);
        assert_eq!(said.len(), 2, "{said:?}");
        assert_eq!(said[1], "part 0 is open (4 rim edges); the same 81 times more, with 1, 2, 3, … 81 in place of 0");
        let said = merged((0..3).map(|part| open(part, part + 7)).collect());
        assert_eq!(said, ["part 0 is open (7 rim edges); the same 2 times more, with (1, 8), (2, 9) in place of (0, 7)"]);
    }

    #[test]
    fn few_and_different_notes_stay() {
        let notes: Vec<String> = ["turned by 3.5°", "turned by 4°", "size 1.5 m", "é 1", "size 1.5 m", ""].map(str::to_owned).to_vec();
        assert_eq!(merged(notes), ["turned by 3.5°", "turned by 4°", "size 1.5 m", "é 1", ""]);
    }
}
