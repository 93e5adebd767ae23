use warpwise::{Context, Error, Vector};

pub fn compile(context: &Context) -> Result<(), Error> {
    context.compile(|xs: Vector<f32>| xs)?;
    //~ is no computation
    Ok(())
}
