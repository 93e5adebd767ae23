-- A bound name may have a type ascription, which determines the type of literals.
-- ==
-- input { }
-- output { 255u8 1.0f32 }
def main =
  let x: u8 = 255
  let y: f32 = 1
  in (x, y)
