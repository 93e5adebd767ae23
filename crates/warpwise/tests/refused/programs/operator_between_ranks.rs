use warpwise::{Acc, Matrix, Vector};

pub fn add(xs: &Acc<Matrix<f32>>, ys: &Acc<Vector<f32>>) -> Acc<Matrix<f32>> {
    xs + ys
    //~ cannot be combined with an array of shape `Dim<2>` and elements `f32`
    //~ `xs.insert_axis(dimension)` of an array with fewer dimensions
}
