-- `reduce` combines all elements by an associative operator; for an empty array it returns the neutral element.
-- ==
-- input { [3, 1, 2] }
-- output { 6 3 }
-- input { [-4] }
-- output { -4 -4 }
-- input { empty([0]i32) }
-- output { 0 -2147483648 }
def main (xs: []i32) = (reduce (+) 0 xs, reduce i32.max i32.lowest xs)
