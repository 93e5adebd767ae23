-- Every number module has `to_i64`, by which code that does not know its number type converts.
-- ==
-- input { 5u8 -3.7f32 }
-- output { 5i64 -3i64 }
def main (x: u8) (y: f32) = (u8.to_i64 x, f32.to_i64 y)
