-- A parametric module has no members until it is applied.
-- ==
-- error: E0221.*:7:21
module type has_factor = { val factor : i32 }
module scaling (m: has_factor) = { def scale (x: i32) = m.factor * x }

def main (x: i32) = scaling.scale x
