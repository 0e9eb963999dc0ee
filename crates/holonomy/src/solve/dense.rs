//! Products and inverses of small matrices, of sizes that are known: they are unrolled into whatever they are used in, with as wide registers as that has.

use nalgebra::{Matrix3, Matrix6, SMatrix};

/// a b, as columns times numbers, which are done several at a time; the order of the sums does not depend on how many.
#[inline(always)]
pub(crate) fn product<const R: usize, const K: usize, const C: usize>(
    a: &SMatrix<f64, R, K>,
    b: &SMatrix<f64, K, C>,
) -> SMatrix<f64, R, C> {
    let (a, b) = (&a.data.0, &b.data.0);
    let mut out = [[0.0; R]; C];
    for (column, weights) in out.iter_mut().zip(b) {
        for (along, weight) in a.iter().zip(weights) {
            for (sum, x) in column.iter_mut().zip(along) {
                *sum += x * weight;
            }
        }
    }
    SMatrix::from_array_storage(nalgebra::ArrayStorage(out))
}

/// aᵀ b.
#[inline(always)]
pub(crate) fn transposed_product<const R: usize, const K: usize, const C: usize>(
    a: &SMatrix<f64, K, R>,
    b: &SMatrix<f64, K, C>,
) -> SMatrix<f64, R, C> {
    product(&a.transpose(), b)
}

/// The inverse of a 6×6 matrix whose lower right block has one, by blocks of 3×3.
#[inline(always)]
pub(crate) fn inverse(matrix: &Matrix6<f64>) -> Option<Matrix6<f64>> {
    let block = |row: usize, column: usize| -> Matrix3<f64> { matrix.fixed_view::<3, 3>(row, column).into_owned() };
    let (b, c, d) = (block(0, 3), block(3, 0), block(3, 3).try_inverse()?);
    let (bd, dc) = (product(&b, &d), product(&d, &c));
    let upper = (block(0, 0) - product(&bd, &c)).try_inverse()?;
    let right = -product(&upper, &bd);
    let below = -product(&dc, &upper);
    let mut out = Matrix6::zeros();
    out.fixed_view_mut::<3, 3>(0, 0).copy_from(&upper);
    out.fixed_view_mut::<3, 3>(0, 3).copy_from(&right);
    out.fixed_view_mut::<3, 3>(3, 0).copy_from(&below);
    out.fixed_view_mut::<3, 3>(3, 3).copy_from(&(d - product(&dc, &right)));
    Some(out)
}
