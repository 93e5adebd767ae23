-- Names that are in scope around a module are in scope inside it.
-- ==
-- input { 3 }
-- output { 30 }
def ten = 10i32
module m = { def scale (x: i32) = ten * x }

def main (x: i32) = m.scale x
