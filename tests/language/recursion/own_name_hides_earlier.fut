-- In its own body the name of a function stands for that function, also where an earlier definition has the name.
-- ==
-- error: E0201.*:5:17
def scale (x: f32) (k: f32) = x * k
module m = {def scale (x: f32, y: f32) = scale x y}
