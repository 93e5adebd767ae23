use warpwise::{Context, Error, Matrix};

warpwise::include_fut!("tests/refused/included/right.fut");

pub fn call(context: &Context, xs: &Matrix<f64>) -> Result<f64, Error> {
    f(context, xs)
    //~ mismatched types
    //~ expected `1`, found `2`
}
