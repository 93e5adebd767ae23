-- Parts of a value that share storage are copied before they are overwritten; parts that do not are not.

def first (xss: [][](i32, i32)) = xss[0]

def pairs (n: i64) : [n](i32, i32) = map (\i -> (i32.i64 i, 0)) (iota n)

entry shared (xss: *[][](i32, i32)) = first xss with [0] = (3, 4)

entry apart (n: i64) = pairs n with [0] = (3, 4)
