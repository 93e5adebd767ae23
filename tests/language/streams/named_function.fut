-- A named chunk function takes the size of the chunk as its first parameter, and uses it in the types of arrays.
-- ==
-- input { [1, 2, 3] }
-- output { 6 [1, 4, 9] }
def squares (c: i64) (acc: i32) (chunk: [c]i32) : (i32, [c]i32) =
  (acc + i32.sum chunk, map (\x -> x * x) chunk)

def main (xs: []i32) = stream_red (+) squares 0 xs
