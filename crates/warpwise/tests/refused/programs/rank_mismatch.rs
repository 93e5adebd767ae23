use warpwise::{Acc, Matrix, Vector};

pub fn zip(xs: &Acc<Vector<f32>>, ys: &Acc<Matrix<f32>>) {
    xs.zip_with(ys, |x, y| x + y);
    //~ mismatched types
    //~ expected `1`, found `2`
}
