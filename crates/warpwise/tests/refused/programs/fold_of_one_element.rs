use warpwise::{Acc, Singleton};

pub fn fold(x: &Acc<Singleton<f32>>) {
    x.fold(0.0, |x, y| x + y);
    //~ `Dim<0>: Inner`
}
