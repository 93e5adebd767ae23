-- In a specification, the size of every parameter must have a name.
-- ==
-- error: E0306.*:4:30
module heads : { val first : []i32 -> i32 } = { def first (xs: []i32) = xs[0] }
