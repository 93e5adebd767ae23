-- `*`, `/` and `%` bind more tightly than `+` and `-`; operators of the same precedence are left-associative.
-- ==
-- input { 2 3 4 }
-- output { 14 -5 3 9 }
def main (x: i32) (y: i32) (z: i32) =
  (x + y * z, x - y - z, 24 / x / z, 100 / 10 - 1)
