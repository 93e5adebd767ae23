-- `flatmap` concatenates arrays of different sizes; it returns the size of each, whether an element is the first of its array,
-- where each begins, the elements, and a second result for each.
-- ==
-- entry: ranges
-- input { [2i64, 0i64, 3i64] }
-- output { [2i64, 0i64, 3i64] [true, false, true, false, false] [0i64, 2i64, 2i64] [0i64, 1i64, 0i64, 1i64, 2i64] [4i64, 0i64, 9i64] }
-- input { empty([0]i64) }
-- output { empty([0]i64) empty([0]bool) empty([0]i64) empty([0]i64) empty([0]i64) }
-- input { [0i64] }
-- output { [0i64] empty([0]bool) [0i64] empty([0]i64) [0i64] }

-- ==
-- entry: divisors
-- input { 6i64 }
-- output { [1i64, 1i64, 2i64, 1i64, 3i64, 1i64, 2i64, 4i64, 1i64, 5i64, 1i64, 2i64, 3i64, 6i64] }
-- input { 0i64 }
-- output { empty([0]i64) }

-- ==
-- entry: inside
-- input { [[1i64, 2i64], [0i64, 3i64]] }
-- output { [5i64, 9i64] }
-- input { empty([0][2]i64) }
-- output { empty([0]i64) }

-- ==
-- entry: rows
-- input { [1i64, 2i64] }
-- output { [[1i64, 0i64], [2i64, 0i64], [2i64, 1i64]] }

entry ranges (ns: []i64) = flatmap (\n -> (iota n, n * n)) ns

entry divisors (n: i64) : []i64 =
  let (_, _, _, ds, _) = flatmap (\i -> (filter (\d -> (i + 1) % d == 0) (map (+ 1) (iota (i + 1))), ())) (iota n)
  in ds

entry inside (nss: [][]i64) : []i64 =
  map (\ns -> let (_, _, _, xs, _) = flatmap (\n -> (replicate n n, ())) ns in i64.sum xs) nss

entry rows (ns: []i64) : [][]i64 =
  let (_, _, _, xs, _) = flatmap (\n -> (map (\i -> [n, i]) (iota n), ())) ns in xs
