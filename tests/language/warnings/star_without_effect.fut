-- An asterisk before a type that holds no array means nothing.
-- ==
-- warning: W0003.*:6:14
-- input { 3 }
-- output { 4 }
def main (x: *i32) = x + 1
