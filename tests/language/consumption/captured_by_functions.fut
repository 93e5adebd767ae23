-- A function that captures an array must not be used after the array was consumed.
-- ==
-- error: E0401.*:7:14
def main (xs: *[]i32) =
  let get (i: i64) = xs[i]
  let ys = xs with [0] = 1
  in ys[1] + get 0
