-- A comment that begins with `-- |` documents the declaration below it, and may span several lines.
-- ==
-- input { 3 }
-- output { 9 }

-- | The product of a number
-- with itself.
def square (x: i32) = x * x

def main (x: i32) = square x
