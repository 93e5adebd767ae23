use warpwise::{Acc, Vector};

pub fn sums(xs: &Acc<Vector<f32>>, ys: Acc<Vector<f32>>) -> Acc<Vector<f32>> {
    xs.map(move |x| ys.map(|y| x * y).sum().the())
    //~ MakeAReaderOutsideOfTheClosure
    //~ cannot be sent between threads safely
}
