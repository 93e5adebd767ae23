-- A literal without a suffix takes the type that its context requires; an integer literal may be a float.
-- ==
-- input { 1.5f32 200u8 }
-- output { 3.5f32 205u8 }
def main (x: f32) (y: u8) = (x + 2, y + 5)
