use warpwise::{Exp, V3, V3Exp};

pub fn point(x: Exp<f32>) -> V3Exp<f32> {
    V3::new(x, x, x)
    //~ vectors of expressions are made by `V2Exp::new`, `V3Exp::new` and `V4Exp::new`
}
