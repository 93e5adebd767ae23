-- A definition with parameters may call itself, and its declared sizes may differ from call to call.
-- ==
-- entry: factorials
-- input { 6i64 }
-- output { [1i64, 1i64, 2i64, 6i64, 24i64, 120i64] }
-- input { 0i64 }
-- output { empty([0]i64) }

-- ==
-- entry: sorted
-- input { [5, 3, 9, 3, 1] }
-- output { [1, 3, 3, 5, 9] }
-- input { [7] }
-- output { [7] }
-- input { empty([0]i32) }
-- output { empty([0]i32) }

-- ==
-- entry: powers
-- input { 4i64 }
-- output { 34i64 }

-- ==
-- entry: reversed
-- input { [[1, 2], [3, 4], [5, 6]] }
-- output { [[5, 6], [3, 4], [1, 2]] }
-- input { empty([0][2]i32) }
-- output { empty([0][2]i32) }

def factorial (n: i64) : i64 = if n <= 1 then 1 else n * factorial (n - 1)

entry factorials (n: i64) : []i64 = map factorial (iota n)

def sort [n] (xs: [n]i32) : [n]i32 =
  if n <= 1
  then xs
  else let pivot = xs[0]
       let (low, high) = partition (< pivot) (tail xs)
       in sized n (sort low ++ [pivot] ++ sort high)

entry sorted (xs: []i32) : []i32 = sort xs

-- Recursion from inside a map and a reduction.
def tree (n: i64) : i64 = if n == 0 then 1 else i64.sum (map tree (iota n)) + 2 * tree (n - 1)

entry powers (n: i64) : i64 = tree (n - 1)

-- Arrays that come out of a call may be of any rank, and consumed.
def turn [n] [m] (xss: *[n][m]i32) (i: i64) : *[n][m]i32 =
  if i >= n / 2
  then xss
  else let a = copy xss[i]
       let b = copy xss[n - 1 - i]
       in turn (xss with [i] = b with [n - 1 - i] = a) (i + 1)

entry reversed [n] [m] (xss: *[n][m]i32) : [n][m]i32 = turn xss 0
