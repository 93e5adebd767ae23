use warpwise::Exp;

pub fn root(x: Exp<i32>) -> Exp<i32> {
    x.sqrt()
    //~ the method `sqrt` exists for struct `Exp<i32>`, but its trait bounds were not satisfied
}
