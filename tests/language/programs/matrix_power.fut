-- A complete program: the power of a matrix, by repeated squaring.
-- ==
-- input { [[1, 1], [1, 0]] 10 }
-- output { [[89, 55], [55, 34]] }
-- input { [[2]] 5 }
-- output { [[32]] }
-- input { [[2]] 0 }
-- output { [[1]] }
def multiply [n] (a: [n][n]i32) (b: [n][n]i32) : [n][n]i32 =
  map (\row -> map (\column -> i32.sum (map2 (*) row column)) (transpose b)) a

def identity (n: i64) : [n][n]i32 = tabulate_2d n n (\i j -> i32.bool (i == j))

def main [n] (a: [n][n]i32) (k: i32) : [n][n]i32 =
  let (_, result, _) =
    loop (square, result, k) = (copy a, identity n, k) while k > 0 do
      let result = if k % 2 == 1 then multiply result square else result
      in (multiply square square, result, k / 2)
  in result
