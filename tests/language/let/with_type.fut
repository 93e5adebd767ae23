-- A bound name may be given a type, which decides about literals.
-- ==
-- input { }
-- output { 255u8 1.0f32 }
def main =
  let x: u8 = 255
  let y: f32 = 1
  in (x, y)
