-- `[]` is the empty array of the type that its context requires.
-- ==
-- input { }
-- output { empty([0]f32) 0i64 }
def main : ([]f32, i64) = ([], length ([]: []bool))
