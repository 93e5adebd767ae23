-- A float outside the range of an integer type converts to the nearest integer of this type.
-- ==
-- input { f32.inf }
-- output { 2147483647 }
-- input { -f32.inf }
-- output { -2147483648 }
def main (x: f32) = i32.f32 x
