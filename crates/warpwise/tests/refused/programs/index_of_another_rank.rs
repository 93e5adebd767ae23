use warpwise::{Acc, Exp, Matrix};

pub fn corner(xs: &Acc<Matrix<f32>>) -> Exp<f32> {
    xs.at(0)
    //~ <{integer} as IntoShape>::Shape == Dim<2>`
    //~ expected `2`, found `1`
}
