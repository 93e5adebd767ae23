-- Modules may define types.
-- ==
-- input { 1.0 2.0 }
-- output { 5.0 }
module plane = {
  type point = {x: f64, y: f64}
  def norm2 (p: point) = p.x * p.x + p.y * p.y
}

def main (x: f64) (y: f64) = let p: plane.point = {x, y} in plane.norm2 p
