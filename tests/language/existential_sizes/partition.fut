-- `partition` returns two arrays whose sizes add up to the size of its argument.
-- ==
-- input { [1, 2, 3, 4] }
-- output { [2, 4] [1, 3] 4i64 }
-- input { empty([0]i32) }
-- output { empty([0]i32) empty([0]i32) 0i64 }
def main (xs: []i32) =
  let (evens, odds) = partition (\x -> x % 2 == 0) xs
  in (evens, odds, length evens + length odds)
