-- Entry points are declared at the top level of the main file, not in modules.
-- ==
-- error: E0215.*:5:3
module m = {
  entry inside (x: i32) = x
}
