use warpwise::{Elt, Exp};

#[derive(Clone, Elt)]
pub enum Number {
    Whole(i32),
    Real(f32),
}

pub fn value(number: NumberExp) -> Exp<f32> {
    number.cases(|whole| whole.cast::<f32>(), |real: Exp<i32>| real.cast::<f32>())
    //~ type mismatch in closure arguments
}
