-- `==` also compares arrays, but `<` compares only single numbers.
-- ==
-- error: E0201.*:4:42
def main [n] (xs: [n]i32) (ys: [n]i32) = xs < ys
