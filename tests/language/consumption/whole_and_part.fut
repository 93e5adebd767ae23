-- After a part of an array was written to, the array under its old name is gone.
-- ==
-- error: E0401.*:6:18
def main (xss: *[2][2]i32) =
  let yss = xss with [0, 0] = 1
  in yss[0, 0] + xss[1, 1]
