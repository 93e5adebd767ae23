-- Loops inside a `map` may have different numbers of iterations, and carry arrays whose size changes.
-- ==
-- input { [1i64, 6i64, 0i64, 3i64] } output { [1i64, 63i64, 1i64, 7i64] [2i64, 12i64, 1i64, 6i64] }
def main (ns: []i64) =
  unzip (map (\n ->
                let grown = loop xs = [1] for _i < n do xs ++ map (* 2) (take 1 (reverse xs))
                let size = loop k = 1 while k < n + n do k + i64.min 4 (i64.sum (iota k) + 1)
                in (i64.sum (take (i64.max n 1) grown), i64.min size (n + n) |> i64.max 1))
             ns)
