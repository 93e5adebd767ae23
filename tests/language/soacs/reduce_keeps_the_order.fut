-- The operator of `reduce` need not be commutative: elements are combined in order.
-- ==
-- input { [1, 2, 3] [4, 5, 6] }
-- output { 6 45 }
-- input { [2] [9] }
-- output { 2 9 }
def main [n] (as: [n]i32) (bs: [n]i32) =
  -- Composition of the functions `\x -> a * x + b`, first to last.
  reduce (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (zip as bs)
