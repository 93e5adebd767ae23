-- A row of a matrix is an alias of the matrix.
-- ==
-- error: E0401.*:7:12
def main (xss: *[2][2]i32) =
  let row = xss[0]
  let xss[1, 1] = 7
  in (xss, row)
