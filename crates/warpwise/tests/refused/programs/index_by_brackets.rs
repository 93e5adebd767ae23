use warpwise::{Acc, Exp, Vector};

pub fn first(xs: &Acc<Vector<f32>>) -> Exp<f32> {
    xs[0]
    //~ cannot index into a value of type
}
