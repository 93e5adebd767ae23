-- The inner size of a `match` is unknown if one case has a different inner size than the others.
-- ==
-- entry: named
-- input { 0 [[1, 2]] [[3], [4]] empty([0][1]i32) }
-- output { [[1, 2]] }
-- input { 1 [[1, 2]] [[3], [4]] empty([0][1]i32) }
-- output { [[3], [4]] }
-- input { 2 [[1, 2]] [[3], [4]] empty([0][1]i32) }
-- output { empty([0][1]i32) }
entry named [n] [m] [p] [q] [k] (c: i32) (xss: [n][m]i32) (yss: [p][k]i32) (zss: [q][k]i32) =
  match c
  case 0 -> xss
  case 1 -> yss
  case _ -> zss

-- ==
-- entry: unnamed
-- input { 0 [[1, 2]] [[3], [4]] }
-- output { [[1, 2]] }
-- input { 1 [[1, 2]] [[3], [4]] }
-- output { [[3], [4]] }
-- input { 2 [[1, 2]] [[3], [4]] }
-- output { empty([0][1]i32) }
entry unnamed (c: i32) (xss: [][]i32) (yss: [][]i32) =
  match c
  case 0 -> xss
  case 1 -> yss
  case _ -> []
