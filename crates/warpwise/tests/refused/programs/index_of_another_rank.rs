use warpwise::{Acc, Exp, Matrix};

pub fn corner(xs: &Acc<Matrix<f32>>) -> Exp<f32> {
    xs.at(0)
    //~ is no expression of type `(i64, i64)`
}
