-- A parameter of type `i64` may be used as a size in the result type.
-- ==
-- input { 2i64 }
-- output { [7, 7] }
-- input { 0i64 }
-- output { empty([0]i32) }
def sevens (n: i64) : [n]i32 = replicate n 7

def main (n: i64) : [n]i32 = sevens n
