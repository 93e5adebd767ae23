-- A slice that ends before it starts is out of bounds at run time, even if the compiler can prove it.
-- ==
-- entry: written
-- input { [1, 2, 3] }
-- error: Index \[1:-1\] out of bounds for array of shape \[3\]

-- ==
-- entry: computed
-- input { [1, 2, 3] }
-- error: Index \[1:-2\] out of bounds for array of shape \[3\]

entry written (xs: []i32) : []i32 = xs[1:-1]

def middle (xs: []i32) (end: i64) = map (+ 1) xs[1:end]

entry computed (xs: []i32) : []i32 = middle xs (i64.sum [-3, 1])
