-- `sum` and `product` add and multiply the elements of an array; for an empty array they are zero and one.
-- ==
-- input { [2, 3, 4] }
-- output { 9 24 }
-- input { [5] }
-- output { 5 5 }
-- input { empty([0]i32) }
-- output { 0 1 }
def main (xs: []i32) = (i32.sum xs, i32.product xs)
