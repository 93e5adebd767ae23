-- Operands are evaluated from left to right, including those of user-defined operators.
-- ==
-- entry: built_in own
-- input { [1, 2] 7i64 0 }
-- error: Index \[7\] out of bounds for array of shape \[2\]
-- input { [1, 2] 1i64 0 }
-- error: division by zero
-- input { [1, 2] 1i64 2 }
-- output { 7 }
def (+++) (x: i32) (y: i32) = x + y

entry built_in (xs: []i32) (i: i64) (d: i32) = xs[i] + 10 / d
entry own (xs: []i32) (i: i64) (d: i32) = xs[i] +++ 10 / d

-- ==
-- entry: consumed
-- input { [3, 4] }
-- output { 35 }
entry consumed (xs: *[]i32) = (xs[0] * 10) +++ (let ys = xs with [0] = 5 in ys[0])
