-- A painted landscape: the picture beside this file, which other examples take as input.
-- 
--     warpwise run examples/landscape.fut 640 960 -o examples/landscape.png
-- ==
-- entry: main
-- input { 20i64 30i64 }
-- auto output
-- input { 0i64 3i64 }
-- output { empty([0][3][3]u8) }
-- "large" notest input { 4000i64 6000i64 }

type colour = (f32, f32, f32)

-- Between a and b, at t between 0 and 1.
def mix (t: f32) ((r1, g1, b1): colour) ((r2, g2, b2): colour) : colour =
  (r1 + t * (r2 - r1), g1 + t * (g2 - g1), b1 + t * (b2 - b1))

def clamp (x: f32) : f32 = f32.max 0 (f32.min 1 x)

-- A number between 0 and 1 for each pair, without visible order.
def noise (x: i32) (y: i32) : f32 =
  let a = u32.i32 x * 0x9e3779b1u32 + u32.i32 y * 0x85ebca77u32
  let b = (a ^ (a >> 15)) * 0x2c1b3c6du32
  let c = (b ^ (b >> 12)) * 0x297a2d39u32
  in f32.u32 ((c ^ (c >> 15)) >> 8) / 16777216

-- Noise along a line, smooth between whole numbers.
def smooth (seed: i32) (x: f32) : f32 =
  let left = i32.f32 (f32.floor x)
  let t = x - f32.i32 left
  let s = t * t * (3 - 2 * t)
  in noise left seed * (1 - s) + noise (left + 1) seed * s

-- The height of a ridge at x: ever finer noise.
def ridge (seed: i32) (x: f32) : f32 =
  let (height, _, _) =
    loop (height, size, scale) = (0, 0.5, 1) for i < 6 do
      (height + size * smooth (seed + i) (x * scale), size * 0.5, scale * 2)
  in height

def sky (x: f32) (y: f32) : colour =
  let air = mix (clamp (1.6 * y)) (0.16, 0.32, 0.62) (0.98, 0.78, 0.55)
  let from_sun = f32.sqrt ((x - 1.05) ** 2 + (y - 0.34) ** 2)
  let glow = mix (clamp (0.5 - 1.4 * from_sun)) air (1, 0.9, 0.6)
  in if from_sun < 0.06 then (1, 0.97, 0.84) else glow

-- Three ranges of hills before the sky; where x and y go from 0 downwards in heights of the picture.
def land (x: f32) (y: f32) : colour =
  let far = 0.62 - 0.30 * ridge 11 (1.7 * x)
  let middle = 0.80 - 0.32 * ridge 23 (2.3 * x + 5)
  let near = 1.02 - 0.34 * ridge 37 (3.1 * x + 9)
  let shade base top = mix (clamp (2.5 * (y - top))) base (0.10, 0.14, 0.16)
  in if y > near
     then shade (0.16, 0.28, 0.17) near
     else if y > middle
     then shade (0.24, 0.40, 0.30) middle
     else if y > far then shade (0.45, 0.52, 0.60) far else sky x y

def bytes ((r, g, b): colour) : [3]u8 =
  let byte x = u8.i32 (i32.f32 (255 * clamp x + 0.5))
  in [byte r, byte g, byte b]

entry main (h: i64) (w: i64) : [h][w][3]u8 =
  let unit = f32.i64 h
  in tabulate_2d h w (\i j -> bytes (land (f32.i64 j / unit) (f32.i64 i / unit)))
