-- `foldl` combines the elements of an array one after another from the left, and `foldr` from the right.
-- ==
-- input { [1, 2, 3] }
-- output { 123 321 }
-- input { empty([0]i32) }
-- output { 0 0 }
def main (xs: []i32) =
  (foldl (\acc x -> 10 * acc + x) 0 xs, foldr (\x acc -> 10 * acc + x) 0 xs)
