-- An inner loop may return the parameter of either loop, so that the sizes of both depend on each other.
-- ==
-- input { [1i64, 2i64, 3i64] 5i64 } output { [1i64, 2i64, 3i64] }
-- input { [1i64, 2i64, 3i64] 0i64 } output { [1i64, 2i64, 3i64] }

entry main [n] (start: [n]i64) (rounds: i64) : [n]i64 =
  loop all = start for _k < 1i64 do
    let given =
      loop outer = all for i < rounds do
        loop inner = start for j < 2i64 do
          if j > 7
          then (if i > 3 then outer else outer)
          else loop same = inner for _l < 1i64 do inner
    in given
