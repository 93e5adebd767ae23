-- The type of a section may not need a size that comes into being in its operand; bind it by `let`.
-- ==
-- error: E0305.*:4:44
def main (xs: []i32) (yss: [][]i32) = map ((filter (> 0) xs) ++) yss
