-- Arrays, records and tuples may be nested freely.
-- ==
-- input { [1, 2] }
-- output { [[1, 2], [2, 3]] }
-- input { empty([0]i32) }
-- output { empty([0][2]i32) }
def main (xs: []i32) =
  let rs = map (\x -> {name = x, next = [x, x + 1]}) xs
  in map (\r -> map (\y -> y + r.name - r.name) r.next) rs
