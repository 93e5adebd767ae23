use warpwise::{Acc, Vector};

pub fn total(xs: &Acc<Vector<i32>>) {
    xs.reduce(0.0, |x, y| x + y);
    //~ is no expression of type `i32`
}
