use warpwise::{Acc, Exp, Vector};

pub fn first(xs: &Acc<Vector<f32>>) -> Exp<f32> {
    xs.at(0.0)
    //~ is no index
}
