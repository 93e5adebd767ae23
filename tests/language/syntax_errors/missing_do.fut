-- The head of a loop must end with `do`.
-- ==
-- error: E0110.*:4:42
def main (n: i32) = loop x = 0 for i < n in x + i
