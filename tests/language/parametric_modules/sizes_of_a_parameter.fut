-- A number that a module parameter defines may be a size in the types of the parametric module.
-- ==
-- input { [1, 2] }
-- output { [1, 2, 0, 0, 0] }
module type width = { val width : i64 }
module pad (w: width) = {
  def pad [n] (xs: [n]i32) : [n + w.width]i32 = xs ++ replicate w.width 0
}
module by_three = pad { def width = 3i64 }

def main [n] (xs: [n]i32) = by_three.pad xs
