use warpwise::{Complex, ComplexExp, Exp};

pub fn point(x: Exp<f32>, y: Exp<f32>) -> ComplexExp<f32> {
    Complex::new(x, y)
    //~ complex numbers of expressions are made by `ComplexExp::new`
}
