-- `min` and `max` select one of two numbers, `minimum` and `maximum` one of the elements of an array.
-- ==
-- input { [3, 1, 2] }
-- output { 1 3 2 3 }
-- input { [5] }
-- output { 5 5 2 5 }
def main (xs: []i32) = (i32.minimum xs, i32.maximum xs, i32.min 2 xs[0], i32.max 2 xs[0])
