-- An update of one element consumes the whole array.
-- ==
-- error: E0401.*:6:18
def main (xss: *[2][2]i32) =
  let yss = xss with [0, 0] = 1
  in yss[0, 0] + xss[1, 1]
