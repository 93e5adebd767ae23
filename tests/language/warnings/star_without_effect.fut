-- An asterisk before a type that contains no array has no effect.
-- ==
-- warning: W0003.*:6:14
-- input { 3 }
-- output { 4 }
def main (x: *i32) = x + 1
