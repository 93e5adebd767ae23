-- A float literal needs digits before its point: a leading point denotes a projection.
-- ==
-- error: E0110.*:4:25
def main (x: f64) = x + .5
