-- A type that a top-level function leaves open becomes a type parameter automatically.
-- ==
-- input { 1 true }
-- output { 1 true }
def first x _ = x

def main (x: i32) (y: bool) = (first x y, first y x)
