-- An array must not be both consumed and lent in one call.
-- ==
-- error: E0403.*:6:29
def put (xs: *[]i32) (ys: []i32) : *[]i32 = xs with [0] = ys[1]

def main (xs: *[]i32) = put xs xs
