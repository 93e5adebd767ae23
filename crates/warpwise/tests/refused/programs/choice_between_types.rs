use warpwise::{Exp, cond};

pub fn choose(c: Exp<bool>, x: Exp<f32>, y: Exp<f64>) -> Exp<f32> {
    cond(c, x, y)
    //~ `Exp<f64>` is no expression of type `f32`
}
