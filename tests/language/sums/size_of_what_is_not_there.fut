-- The payload sizes of the other constructors are part of a value's type, and must be known, too.
-- ==
-- error: E0303.*:7:24
type row [n] = #row ([n]i32) | #zeros

def main: bool =
  let r = #zeros : row []
  in r == r
