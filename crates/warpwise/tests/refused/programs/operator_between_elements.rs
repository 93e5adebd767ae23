use warpwise::{Acc, Vector};

pub fn add(xs: &Acc<Vector<f32>>, ys: &Acc<Vector<f64>>) -> Acc<Vector<f32>> {
    xs + ys
    //~ `&Acc<warpwise::Array<Dim<1>, f64>>` cannot be combined with an array of shape `Dim<1>` and elements `f32`
}
