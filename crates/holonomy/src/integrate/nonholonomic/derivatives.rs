//! First and second derivatives of a step that is written for any scalar: what [`Controlled`](crate::integrate::controlled::Controlled) asks for.

use nalgebra::{SMatrix, SVector};

use super::dual::{Dual, Scalar};
use super::frame::Frame;
use crate::integrate::controlled::Curvature;

/// A state with N degrees of freedom: a placement and N − 3 numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Local<S, const N: usize> {
    pub frame: Frame<S>,
    /// As in a tangent, from index 3 on: before it stands nothing.
    pub rest: [S; N],
}

/// A step with N degrees of freedom and M controls, written for any scalar.
pub(crate) trait Flow<const N: usize, const M: usize> {
    fn flow<S: Scalar>(&self, from: &Local<S, N>, controls: &[S; M], h: S) -> Option<Local<S, N>>;
}

/// By state, controls and size of step.
pub(crate) type Slopes<const N: usize, const M: usize> = (SMatrix<f64, N, N>, SMatrix<f64, N, M>, SVector<f64, N>);

impl<const N: usize> Local<f64, N> {
    /// The state along a tangent.
    fn moved<S: Scalar>(&self, along: &[S; N]) -> Local<S, N> {
        let frame = self.frame.lift().then(&Frame::exp(&[along[0], along[1], along[2]]));
        Local { frame, rest: std::array::from_fn(|i| along[i] + self.rest[i]) }
    }

    /// The tangent from here to a state next to it.
    fn to<S: Scalar>(&self, next: &Local<S, N>) -> [S; N] {
        let pose = self.frame.inverse().lift().then(&next.frame).log_near_identity();
        std::array::from_fn(|i| if i < 3 { pose[i] } else { next.rest[i] - self.rest[i] })
    }
}

/// The first derivatives of a step.
pub(crate) fn linearise<F: Flow<N, M>, const N: usize, const M: usize>(
    vehicle: &F,
    from: &Local<f64, N>,
    controls: &SVector<f64, M>,
    h: f64,
) -> Option<Slopes<N, M>> {
    let controls: [f64; M] = (*controls).into();
    let next = vehicle.flow(from, &controls, h)?;
    let state: [f64; N] = [0.0; N];
    let by_state = vehicle.flow::<Dual<f64, N>>(&from.moved(&Dual::directions(&state)), &Dual::constants(&controls), h.into())?;
    let by_controls = vehicle.flow::<Dual<f64, M>>(&from.moved(&Dual::constants(&state)), &Dual::directions(&controls), h.into())?;
    let [step] = Dual::directions(&[h]);
    let by_time_step = vehicle.flow::<Dual<f64, 1>>(&from.moved(&Dual::constants(&state)), &Dual::constants(&controls), step)?;
    Some((rows(next.to(&by_state)), rows(next.to(&by_controls)), rows(next.to(&by_time_step))))
}

/// The second derivatives of a step, weighted.
pub(crate) fn curvature<F: Flow<N, M>, const N: usize, const M: usize>(
    vehicle: &F,
    from: &Local<f64, N>,
    controls: &SVector<f64, M>,
    h: f64,
    weights: &SVector<f64, N>,
) -> Option<Curvature<N, M>> {
    let controls: [f64; M] = (*controls).into();
    let next = vehicle.flow(from, &controls, h)?;
    let zero = [0.0; N];
    let along = Dual::<f64, N>::directions(&zero);
    let both: [Dual<Dual<f64, N>, N>; N] = Dual::directions(&along);
    let xx = vehicle.flow(&from.moved(&both), &Dual::constants(&Dual::constants(&controls)), h.into())?;
    let state: [Dual<Dual<f64, N>, M>; N] = Dual::constants(&along);
    let ux = vehicle.flow(&from.moved(&state), &Dual::directions(&Dual::constants(&controls)), h.into())?;
    let still: [Dual<Dual<f64, M>, M>; N] = Dual::constants(&Dual::constants(&zero));
    let uu = vehicle.flow(&from.moved(&still), &Dual::directions(&Dual::<f64, M>::directions(&controls)), h.into())?;
    Some(Curvature { xx: second(&next.to(&xx), weights), ux: second(&next.to(&ux), weights), uu: second(&next.to(&uu), weights) })
}

fn rows<const N: usize, const K: usize>(tangent: [Dual<f64, K>; N]) -> SMatrix<f64, N, K> {
    SMatrix::from_fn(|i, j| tangent[i].slopes[j])
}

fn second<const N: usize, const I: usize, const J: usize>(
    tangent: &[Dual<Dual<f64, J>, I>; N],
    weights: &SVector<f64, N>,
) -> SMatrix<f64, I, J> {
    SMatrix::from_fn(|i, j| (0..N).map(|k| weights[k] * tangent[k].slopes[i].slopes[j]).sum())
}
