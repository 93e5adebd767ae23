-- What is written into an array is not part of the same array.
-- ==
-- error: E0404.*:6:16
def main (xss: *[2][2]i32) =
  let row = xss[0]
  let xss[1] = row
  in xss
