-- The minimum of an empty array is the highest value of the type, and its maximum the lowest.
-- ==
-- input { empty([0]u8) empty([0]f32) }
-- output { 255u8 0u8 f32.inf -f32.inf }
-- input { [3u8] [1.0f32] }
-- output { 3u8 3u8 1.0f32 1.0f32 }
def main (xs: []u8) (ys: []f32) = (u8.minimum xs, u8.maximum xs, f32.minimum ys, f32.maximum ys)
