use warpwise::{Acc, Vector};

pub fn shares(xs: &Acc<Vector<f32>>) -> Acc<Vector<f32>> {
    xs.map(|x| x / xs.sum().the())
    //~ MakeAReaderOutsideOfTheClosure
    //~ cannot be shared between threads safely
    //~ required because it appears within the type `Acc<warpwise::Array<Dim<1>, f32>>`
}
