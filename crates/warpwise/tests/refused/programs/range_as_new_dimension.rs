use warpwise::{Acc, All, Vector};

pub fn repeated(xs: &Acc<Vector<f32>>) {
    xs.replicate((All, 0..3));
    //~ does not name the dimensions of a replication
}
