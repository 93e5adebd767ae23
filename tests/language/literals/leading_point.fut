-- A float has digits before its point: what starts with a point is a projection.
-- ==
-- error: E0110.*:4:25
def main (x: f64) = x + .5
