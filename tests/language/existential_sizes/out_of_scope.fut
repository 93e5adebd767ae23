-- A size that is bound in an expression is not in scope outside it.
-- ==
-- error: E0301.*:4:30
def main (n: i64) : [n]i32 = let m = n + 0 in let k = i64.max m 0 in replicate k 0
