use warpwise::Exp;

pub fn mask(x: Exp<f32>) -> Exp<f32> {
    x & x
    //~ no implementation for `Exp<f32> & Exp<f32>`
}
