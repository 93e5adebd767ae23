-- A size expression may be evaluated several times, so it must not consume anything.
-- ==
-- error: E0307.*:6:47
def first (xs: *[]i64) : i64 = (xs with [0] = 1)[0]

def main (xs: *[2]i64) = replicate 2 0i32 :> [first xs]i32
