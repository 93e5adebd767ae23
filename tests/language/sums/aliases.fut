-- A value of a sum type aliases the arguments of its constructor.
-- ==
-- error: E0401.*:9:6
type option 'a = #none | #some a

def main (xs: *[2]i32) =
  let x: option ([2]i32) = #some xs
  let xs[0] = 1
  in x
