use warpwise::{Acc, Vector};

#[derive(Clone)]
pub struct Plain(f32);

pub fn identity(xs: &Acc<Vector<Plain>>) {
    xs.map(|x| x);
    //~ `Plain: Elt`
}
