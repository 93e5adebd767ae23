use warpwise::{Acc, Vector};

pub fn sums(xs: &Acc<Vector<f32>>, ys: &Vector<f32>) -> Acc<Vector<f32>> {
    xs.zip_with(ys, |x, y| x + y)
    //~ mismatched types
    //~ expected `&Acc<
}
