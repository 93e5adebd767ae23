-- A histogram needs as many indices as values.
-- ==
-- error: E0301.*:4:52
def main [n] (vs: [n]i32) = hist (+) 0 3 [0, 1, 2] vs
