use warpwise::{Acc, Elt, Vector};

#[derive(Clone, Elt)]
pub struct Particle {
    mass: f32,
}

pub fn sorted(xs: &Acc<Vector<Particle>>) {
    xs.sort();
    //~ arrays cannot be sorted by `Particle`
}
