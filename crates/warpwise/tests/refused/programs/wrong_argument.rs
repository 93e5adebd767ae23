use warpwise::{Acc, Array, Context, Error, Vector};

pub fn call(context: &Context) -> Result<(), Error> {
    let sum = context.compile(|xs: Acc<Vector<f32>>| xs.sum())?;
    let ints = Array::from_vec([1], vec![1_i32])?;
    sum.run(&ints)?;
    //~ takes an `&Array<..>` of the same type
    Ok(())
}
