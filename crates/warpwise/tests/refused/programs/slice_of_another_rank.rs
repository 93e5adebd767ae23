use warpwise::{Acc, All, Matrix};

pub fn row(xs: &Acc<Matrix<f32>>) {
    xs.slice((1, All, All));
    //~ type mismatch resolving `<({integer}, All, All) as Slicing>::Full == Dim<2>`
}
