-- The type of an operator section must not depend on a size that is bound in its operand; use `let` for the operand.
-- ==
-- error: E0305.*:4:44
def main (xs: []i32) (yss: [][]i32) = map ((filter (> 0) xs) ++) yss
