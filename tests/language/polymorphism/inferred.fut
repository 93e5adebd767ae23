-- What a top-level function does not care about becomes a type parameter by itself.
-- ==
-- input { 1 true }
-- output { 1 true }
def first x _ = x

def main (x: i32) (y: bool) = (first x y, first y x)
