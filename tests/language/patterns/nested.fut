-- Patterns nest, and `_` ignores a value.
-- ==
-- input { 1 2 3 }
-- output { 4 }
def main (x: i32) (y: i32) (z: i32) =
  let ((a, _), (b, _)) = ((x, y), (z, y))
  in a + b
