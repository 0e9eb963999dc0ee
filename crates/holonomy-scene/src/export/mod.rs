//! Results out.
