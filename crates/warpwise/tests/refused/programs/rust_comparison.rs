use warpwise::Exp;

pub fn positive(x: Exp<f32>) -> Exp<bool> {
    x > 0.0
    //~ binary operation `>` cannot be applied to type `Exp<f32>`
}
