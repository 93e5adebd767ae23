use warpwise::{Acc, Exp, Vector, generate};

pub fn accepted(xs: &Acc<Vector<f32>>) -> Acc<Vector<f32>> {
    let (total, reader) = (xs.sum().the(), xs.reader());
    xs.imap(move |i, x| x / total + reader.at(i))
}
