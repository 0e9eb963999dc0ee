//! A glTF document as text that is only touched where it must be: the top level and its arrays are taken apart, every element
//! stays the text it was unless it is edited.

use indexmap::IndexMap;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::fault::Fault;

/// A JSON object whose values are kept as text, in order.
pub(super) type Object = IndexMap<String, Box<RawValue>>;

/// The document, and the binary data that goes with it.
pub(super) struct RawDocument {
    top: Object,
    arrays: IndexMap<String, Vec<Box<RawValue>>>,
    /// Buffer 0.
    pub bin: Vec<u8>,
}

impl From<serde_json::Error> for Fault {
    fn from(error: serde_json::Error) -> Self {
        Fault::new("JSON", error.to_string())
    }
}

impl RawDocument {
    pub fn parse(json: &str, bin: Vec<u8>) -> Result<Self, Fault> {
        Ok(RawDocument { top: serde_json::from_str(json)?, arrays: IndexMap::new(), bin })
    }

    fn array(&mut self, key: &str) -> Result<&mut Vec<Box<RawValue>>, Fault> {
        if !self.arrays.contains_key(key) {
            let elements = self.top.get(key).map_or(Ok(Vec::new()), |raw| serde_json::from_str(raw.get()))?;
            self.arrays.insert(key.to_owned(), elements);
        }
        self.arrays.get_mut(key).ok_or_else(|| Fault::new(key, "it does not exist"))
    }

    /// Number of elements of a top-level array.
    pub fn len(&mut self, key: &str) -> Result<usize, Fault> {
        Ok(self.array(key)?.len())
    }

    /// Appends an element to a top-level array and returns its index.
    pub fn push(&mut self, key: &str, element: &impl Serialize) -> Result<usize, Fault> {
        let element = to_raw_value(element)?;
        let array = self.array(key)?;
        array.push(element);
        Ok(array.len() - 1)
    }

    /// Puts an element in front of the others of a top-level array.
    pub fn push_front(&mut self, key: &str, element: &impl Serialize) -> Result<(), Fault> {
        let element = to_raw_value(element)?;
        self.array(key)?.insert(0, element);
        Ok(())
    }

    /// Replaces every top-level value, and every element of an array taken apart, for which
    /// `change` returns something.
    pub fn rewrite(&mut self, mut change: impl FnMut(&str, &RawValue) -> Option<Box<RawValue>>) {
        for (key, value) in &mut self.top {
            if let Some(new) = (!self.arrays.contains_key(key)).then(|| change(key, value)).flatten() {
                *value = new;
            }
        }
        for (key, elements) in &mut self.arrays {
            for element in elements {
                if let Some(new) = change(key, element) {
                    *element = new;
                }
            }
        }
    }

    /// The fields of one element of a top-level array.
    pub fn fields(&mut self, key: &str, index: usize) -> Result<Object, Fault> {
        let element = self.array(key)?.get(index).ok_or_else(|| Fault::new(format!("{key}[{index}]"), "it does not exist"))?;
        Ok(serde_json::from_str(element.get())?)
    }

    /// Changes fields of one element of a top-level array; the other fields keep their text.
    pub fn edit(&mut self, key: &str, index: usize, change: impl FnOnce(&mut Object) -> Result<(), Fault>) -> Result<(), Fault> {
        let mut fields = self.fields(key, index)?;
        change(&mut fields)?;
        if let Some(slot) = self.array(key)?.get_mut(index) {
            *slot = to_raw_value(&fields)?;
        }
        Ok(())
    }

    /// Sets a top-level field.
    pub fn set(&mut self, key: &str, value: &impl Serialize) -> Result<(), Fault> {
        self.top.insert(key.to_owned(), to_raw_value(value)?);
        Ok(())
    }

    /// Appends bytes to buffer 0, aligned to 4, as a new buffer view.
    pub fn push_view(&mut self, bytes: &[u8]) -> Result<usize, Fault> {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        let offset = self.bin.len();
        self.bin.extend_from_slice(bytes);
        self.push("bufferViews", &serde_json::json!({ "buffer": 0, "byteOffset": offset, "byteLength": bytes.len() }))
    }

    /// The JSON text, and buffer 0.
    pub fn finish(mut self) -> Result<(String, Vec<u8>), Fault> {
        for (key, elements) in std::mem::take(&mut self.arrays) {
            if !elements.is_empty() {
                self.top.insert(key, to_raw_value(&elements)?);
            }
        }
        Ok((serde_json::to_string(&self.top)?, self.bin))
    }
}

/// Inserts a value as text.
pub(super) fn put(object: &mut Object, key: &str, value: &impl Serialize) -> Result<(), Fault> {
    object.insert(key.to_owned(), to_raw_value(value)?);
    Ok(())
}
