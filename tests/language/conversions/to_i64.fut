-- Every numeric module has a function `to_i64`, with which generic code converts numbers.
-- ==
-- input { 5u8 -3.7f32 }
-- output { 5i64 -3i64 }
def main (x: u8) (y: f32) = (u8.to_i64 x, f32.to_i64 y)
