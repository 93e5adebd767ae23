-- The sizes of what other constructors would carry are part of the type, and must be known, too.
-- ==
-- error: E0303.*:7:24
type row [n] = #row ([n]i32) | #zeros

def main: bool =
  let r = #zeros : row []
  in r == r
