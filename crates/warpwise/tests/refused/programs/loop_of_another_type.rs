use warpwise::{Exp, while_};

pub fn count(limit: Exp<i64>) -> Exp<i64> {
    while_(0_i32, |n| n.lt(9), |n| n.cast::<i64>() + 1);
    limit
    //~ type mismatch resolving
}
