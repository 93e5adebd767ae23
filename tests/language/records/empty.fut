-- The record without fields is the empty tuple.
-- ==
-- input { 2 }
-- output { 2 }
def f (x: i32) (_: {}) = x

def main (x: i32) = f x ()
