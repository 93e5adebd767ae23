-- `for x in xs` iterates over the elements of an array in order.
-- ==
-- input { [1, 2, 3] }
-- output { 123 }
-- input { empty([0]i32) }
-- output { 0 }
def main (xs: []i32) = loop number = 0 for x in xs do 10 * number + x
