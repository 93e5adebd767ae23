-- A loop cannot carry a function.
-- ==
-- error: E0211.*:5:20
def main (n: i32) (x: i32) =
  let f = loop f = \y -> y + 1 for _i < n do \y -> f y + 1
  in f x
