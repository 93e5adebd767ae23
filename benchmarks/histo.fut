-- Parboil's histogram of an image: counts that stay at 255 once they are there.
-- ==
-- entry: main
-- input { 3i32 2i32 [[0i32, 5i32, 5i32], [2i32, 5i32, 0i32]] }
-- output { [2i32, 0i32, 1i32, 0i32, 0i32, 3i32] }
-- input { 2i32 0i32 [[0i32, 1i32]] }
-- output { empty([0]i32) }
-- input { 2i32 1i32 empty([0][3]i32) }
-- output { [0i32, 0i32] }

-- ==
-- entry: bytes
-- random input { [90][101]u8 }
-- auto output
-- random input { [300][301]u8 }
-- auto output
-- "large" notest random input { [4000][5000]u8 }

-- Of counts that stay at 255 the order of adding does not matter, and a byte is room enough.
def add_saturating (a: u8) (b: u8) : u8 = if a > 255 - b then 255 else a + b

entry main [w] [h] (histo_width: i32) (histo_height: i32) (image: [w][h]i32) : []i32 =
  hist add_saturating 0 (i64.i32 (histo_width * histo_height))
       (map i64.i32 (flatten image)) (replicate (w * h) 1)
  |> map i32.u8

entry bytes [w] [h] (image: [w][h]u8) : []i32 = main 16 16 (map (map i32.u8) image)
