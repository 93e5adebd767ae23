-- `&`, `^` and `|` have the same precedence and are left-associative.
-- ==
-- input { 1 2 4 }
-- output { 0 7 }
def main (x: i32) (y: i32) (z: i32) = (x | y & z, x | y ^ z)
