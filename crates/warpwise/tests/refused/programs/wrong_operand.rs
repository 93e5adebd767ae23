use warpwise::Exp;

pub fn add(x: Exp<f32>, y: Exp<i32>) -> Exp<f32> {
    x + y
    //~ cannot add `Exp<i32>` to `Exp<f32>`
}
