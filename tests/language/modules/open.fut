-- `open` brings the names of a module into scope without its prefix.
-- ==
-- input { 3 }
-- output { 4 }
module m = { def next (x: i32) = x + 1 }
open m

def main (x: i32) = next x
