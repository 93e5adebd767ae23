-- Rows of small elements whose first and last element are special, in lengths below, at and above those of vectors.
-- ==
-- entry: bytes bytes_inside
-- script input { i8s 9i64 0i64 } output { true }
-- script input { i8s 9i64 1i64 } output { true }
-- script input { i8s 9i64 2i64 } output { true }
-- script input { i8s 9i64 3i64 } output { true }
-- script input { i8s 9i64 15i64 } output { true }
-- script input { i8s 9i64 16i64 } output { true }
-- script input { i8s 9i64 17i64 } output { true }
-- script input { i8s 9i64 18i64 } output { true }
-- script input { i8s 9i64 33i64 } output { true }
-- script input { i8s 9i64 34i64 } output { true }
-- script input { i8s 9i64 35i64 } output { true }
-- script input { i8s 9i64 63i64 } output { true }
-- script input { i8s 9i64 66i64 } output { true }
-- script input { i8s 9i64 67i64 } output { true }
-- script input { i8s 9i64 100i64 } output { true }
-- script input { i8s 9i64 131i64 } output { true }
-- script input { i8s 9i64 1000i64 } output { true }

-- ==
-- entry: words
-- script input { u16s 9i64 0i64 } output { true }
-- script input { u16s 9i64 1i64 } output { true }
-- script input { u16s 9i64 2i64 } output { true }
-- script input { u16s 9i64 3i64 } output { true }
-- script input { u16s 9i64 15i64 } output { true }
-- script input { u16s 9i64 16i64 } output { true }
-- script input { u16s 9i64 17i64 } output { true }
-- script input { u16s 9i64 18i64 } output { true }
-- script input { u16s 9i64 33i64 } output { true }
-- script input { u16s 9i64 34i64 } output { true }
-- script input { u16s 9i64 35i64 } output { true }
-- script input { u16s 9i64 63i64 } output { true }
-- script input { u16s 9i64 66i64 } output { true }
-- script input { u16s 9i64 67i64 } output { true }
-- script input { u16s 9i64 100i64 } output { true }
-- script input { u16s 9i64 131i64 } output { true }
-- script input { u16s 9i64 1000i64 } output { true }

-- ==
-- entry: fails_at_the_end
-- script input { i8s 9i64 100i64 }
-- error: out of bounds

def element (i: i64) (j: i64) = (i * 7919 + j * j * 31) % 97

entry i8s (n: i64) (m: i64) : [n][m]i8 = tabulate_2d n m (\i j -> i8.i64 (element i j))
entry u16s (n: i64) (m: i64) : [n][m]u16 = tabulate_2d n m (\i j -> u16.i64 (element i j))

-- What a point of the stencil should be.
def expected (m: i64) (i: i64) (j: i64) : i64 =
  element i (i64.max 0 (j - 1)) + 2 * element i j - element i (i64.min (m - 1) (j + 1))

entry bytes [n] [m] (a: [n][m]i8) : bool =
  let got = map (\r -> tabulate m (\j -> r[i64.max 0 (j - 1)] + 2 * r[j] - r[i64.min (m - 1) (j + 1)])) a
  in and (flatten (map2 (map2 (==)) got (tabulate_2d n m (\i j -> i8.i64 (expected m i j)))))

entry words [n] [m] (a: [n][m]u16) : bool =
  let got = map (\r -> tabulate m (\j -> r[i64.max 0 (j - 1)] + 2 * r[j] - r[i64.min (m - 1) (j + 1)])) a
  in and (flatten (map2 (map2 (==)) got (tabulate_2d n m (\i j -> u16.i64 (expected m i j)))))

-- The border is found by a condition.
entry bytes_inside [n] [m] (a: [n][m]i8) : bool =
  let got = map (\r -> tabulate m (\j -> if j == 0 || j == m - 1 then 0 else r[j - 1] + r[j + 1])) a
  let point i j = if j == 0 || j == m - 1 then 0 else i8.i64 (element i (j - 1) + element i (j + 1))
  in and (flatten (map2 (map2 (==)) got (tabulate_2d n m point)))

-- The last point of a row reads beyond it.
entry fails_at_the_end [n] [m] (a: [n][m]i8) : [n][m]i8 =
  map (\r -> tabulate m (\j -> r[i64.max 0 (j - 1)] + r[j + 1])) a
