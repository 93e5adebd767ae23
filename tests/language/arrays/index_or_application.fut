-- `f[0]` is an index, `f [0]` the application of `f` to an array.
-- ==
-- input { [7, 8] }
-- output { 7 0 }
def f (xs: []i64) = i32.i64 xs[0]

def main (g: []i32) = (g[0], f [0])
