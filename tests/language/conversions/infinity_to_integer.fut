-- A float out of the range of the integer type becomes the nearest integer of it.
-- ==
-- input { f32.inf }
-- output { 2147483647 }
-- input { -f32.inf }
-- output { -2147483648 }
def main (x: f32) = i32.f32 x
