use warpwise::Exp;

pub fn choose(c: Exp<bool>, x: Exp<f32>) -> Exp<f32> {
    if c { x } else { -x }
    //~ expected `bool`, found `Exp<bool>`
}
