//! stub
use nalgebra::Vector3;
use super::*;
/// x
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Water<'a> {
    /// x
    pub density: f64,
    /// x
    pub levels: &'a [f64],
}
impl Water<'_> { pub(super) fn validate(&self, _n: usize) -> Result<(), Error> { Ok(()) } }
impl Chain { pub(super) fn water_forces(&self, _s: &mut ChainState, _t: f64, _w: &Water<'_>, _g: &Vector3<f64>) {} }
