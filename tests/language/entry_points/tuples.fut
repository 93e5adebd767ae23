-- An entry point returns a tuple as several values.
-- ==
-- input { 1 2 }
-- output { 2 1 }
def main (x: i32) (y: i32) = (y, x)
