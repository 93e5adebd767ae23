use warpwise::{Acc, Vector};

pub fn shares(xs: &Acc<Vector<f32>>) -> Acc<Vector<f32>> {
    xs / xs.sum()
    //~ `total.the()` of an array without dimensions
}
