-- `f[0]` indexes the array `f`, whereas `f [0]` applies the function `f` to an array.
-- ==
-- input { [7, 8] }
-- output { 7 0 }
def f (xs: []i64) = i32.i64 xs[0]

def main (g: []i32) = (g[0], f [0])
