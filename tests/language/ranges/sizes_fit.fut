-- A range is invalid if its size does not fit in an `i64`; the distance between its ends need not fit.
-- ==
-- entry: below
-- input { 0i64 9223372036854775807i64 }
-- output { 9223372036854775807i64 }
-- input { -1i64 9223372036854775807i64 }
-- error: Range -1..<9223372036854775807 is invalid
-- input { -9223372036854775808i64 9223372036854775807i64 }
-- error: is invalid

-- ==
-- entry: up_to
-- input { 1i64 9223372036854775807i64 }
-- output { 9223372036854775807i64 }
-- input { 0i64 9223372036854775807i64 }
-- error: Range 0...9223372036854775807 is invalid
-- input { -9223372036854775808i64 9223372036854775807i64 }
-- error: is invalid

-- ==
-- entry: above
-- input { 9223372036854775807i64 0i64 }
-- output { 9223372036854775807i64 }
-- input { 9223372036854775807i64 -1i64 }
-- error: is invalid

-- ==
-- entry: steps
-- input { -9223372036854775808i64 0i64 9223372036854775807i64 }
-- output { [-9223372036854775808i64, 0i64] [-9223372036854775808i64, 0i64] }
-- input { -9223372036854775808i64 9223372036854775807i64 9223372036854775807i64 }
-- output { [-9223372036854775808i64] [-9223372036854775808i64, 9223372036854775807i64] }
-- input { 5i64 6i64 5i64 }
-- output { empty([0]i64) [5i64] }
-- input { -2i64 0i64 3i64 }
-- output { [-2i64, 0i64, 2i64] [-2i64, 0i64, 2i64] }

-- ==
-- entry: unsigned
-- input { 18446744073709551612u64 18446744073709551615u64 }
-- output { [18446744073709551612u64, 18446744073709551613u64, 18446744073709551614u64] }
-- input { 0u64 18446744073709551615u64 }
-- error: Range 0..<18446744073709551615 is invalid

-- ==
-- entry: narrow
-- input { -128i8 127i8 }
-- output { 256i64 }

-- ==
-- entry: steps_of_constants
-- input { 3i64 }
-- output { [-9223372036854775808i64] [9223372036854775805i64] [-9223372036854775808i64, 0i64] }
-- input { -9223372036854775808i64 }
-- output { [-9223372036854775808i64] [9223372036854775805i64] empty([0]i64) }

-- ==
-- entry: narrow_steps_of_constants
-- input { 3i8 }
-- output { [-128i8] [127i8] [3i8, 2i8] }
entry below (a: i64) (b: i64) : i64 = length (a..<b)

entry up_to (a: i64) (b: i64) : i64 = length (a...b)

entry above (a: i64) (b: i64) : i64 = length (a..>b)

entry steps (a: i64) (b: i64) (c: i64) : ([]i64, []i64) = (a..b..<c, a..b...c)

entry steps_of_constants (a: i64) : ([]i64, []i64, []i64) =
  ( i64.lowest..9223372036854775807...a
  , 9223372036854775805..-9223372036854775807..>1
  , i64.lowest..0..<a
  )

entry narrow_steps_of_constants (a: i8) : ([]i8, []i8, []i8) =
  (i8.lowest..127...a, 127..i8.lowest..>a, a..a - 1...2)

entry unsigned (a: u64) (b: u64) : []u64 = a..<b

entry narrow (a: i8) (b: i8) : i64 = length (a...b)
