-- A star allows the body to consume a loop parameter; if it does not, and returns a new array, the initial value is only lent.
-- ==
-- input { [3i64, 1i64, 3i64, 2i64] }
-- output { [3i64, 1i64, 2i64] 3i64 }
-- input { empty([0]i64) }
-- output { empty([0]i64) 0i64 }
def distinct [n] (values: [n]i64) : []i64 =
  let (found, _, size) =
    loop (found: *[n]i64, rest: *[]i64, size) = (replicate n 0, values, 0) while length rest > 0 do
      (found with [size] = rest[0], filter (!= rest[0]) rest, size + 1)
  in take size found

entry main (values: []i64) =
  let found = distinct values
  in (found, length found)
