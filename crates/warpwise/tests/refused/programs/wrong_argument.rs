use warpwise::{Acc, Array, Context, Error, Vector};

pub fn call(context: &Context) -> Result<(), Error> {
    let sum = context.compile(|xs: Acc<Vector<f32>>| xs.sum())?;
    let ints = Array::from_vec([1], vec![1_i32])?;
    sum.run(&ints)?;
    //~ expected `&Array<Dim<1>, f32>`, found `&Array<Dim<1>, i32>`
    Ok(())
}
