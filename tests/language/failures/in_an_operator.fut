-- The checks in the operator of a reduction also apply where partial results are combined.
-- ==
-- input { 50000i64 -1i64 }
-- output { 10007i64 }
-- input { 1i64 -1i64 }
-- output { 0i64 }
-- input { 50000i64 10007i64 }
-- error: Assertion is false: k != bad
entry main (n: i64) (bad: i64) : i64 =
  let xs = tabulate n (\i -> if i == 0 then 1000000 else (i * 7919) %% 10007)
  let best i j =
    let k = if xs[i] <= xs[j] then i else j
    in assert (k != bad) k
  in reduce best 0 (iota n)
