//! SHA-256: what tells whether files belong together, and whether they are what was written.

use std::io::{self, Read};

use sha2::{Digest, Sha256};

/// Returns the SHA-256 of `bytes` in hexadecimal digits.
pub(crate) fn of_bytes(bytes: &[u8]) -> String {
    hexadecimal(Sha256::new().chain_update(bytes))
}

/// Returns the SHA-256 of all that can be read from `source`, in hexadecimal digits.
pub(crate) fn of_reader(mut source: impl Read) -> io::Result<String> {
    let mut hash = Sha256::new();
    io::copy(&mut source, &mut hash)?;
    Ok(hexadecimal(hash))
}

/// Adds a part with its length before it, so that no two lists of parts are the same bytes.
pub(crate) fn with_part(hash: Sha256, part: &[u8]) -> Sha256 {
    hash.chain_update((part.len() as u64).to_le_bytes()).chain_update(part)
}

/// Returns the digits of `hash`.
pub(crate) fn hexadecimal(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
