-- `a[]` is the whole array `a`.
-- ==
-- entry: whole
-- input { [[1,2],[3,4]] } output { [[1,2],[3,4]] }
-- input { empty([0][2]i32) } output { empty([0][2]i32) }

entry whole (a: [][]i32) = a[]

-- ==
-- entry: row
-- input { [[1,2],[3,4]] } output { [3,4] }
entry row (a: [][]i32) = a[1][]

-- ==
-- entry: replaced
-- input { [5,6] } output { [0,0] }
entry replaced [n] (a: *[n]i32) = a with [] = replicate n 0
