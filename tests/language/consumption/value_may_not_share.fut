-- A value that is written into an array must not alias the array.
-- ==
-- error: E0404.*:6:16
def main (xss: *[2][2]i32) =
  let row = xss[0]
  let xss[1] = row
  in xss
