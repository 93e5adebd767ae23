-- `tabulate n f` applies `f` to every index below `n`; `tabulate_2d` and `tabulate_3d` do so in two and three dimensions.
-- ==
-- input { 2i64 }
-- output { [0i64, 1i64] [[0i64, 1i64, 2i64], [10i64, 11i64, 12i64]] [[[0i64, 1i64], [10i64, 11i64]], [[100i64, 101i64], [110i64, 111i64]]] }
-- input { 0i64 }
-- output { empty([0]i64) empty([0][3]i64) empty([0][0][0]i64) }
def main (n: i64) =
  (tabulate n (\i -> i * i),
   tabulate_2d n 3 (\i j -> 10 * i + j),
   tabulate_3d n n n (\i j k -> 100 * i + 10 * j + k))
