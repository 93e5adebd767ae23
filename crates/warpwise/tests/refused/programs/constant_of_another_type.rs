use warpwise::Exp;

pub fn doubled(x: Exp<f32>) -> Exp<f32> {
    x * 2
    //~ cannot multiply `Exp<f32>` by `{integer}`
}
