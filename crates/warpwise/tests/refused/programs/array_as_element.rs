use warpwise::{Acc, Vector, generate};

pub fn nested() {
    generate(3, |n| generate(n, |i| i));
    //~ `Acc<warpwise::Array<Dim<1>, i64>>` is no scalar expression
}
