-- A picture pipeline: grey, blur, edges, equalised histogram.
-- 
--     warpwise run examples/picture.fut examples/landscape.png -o edges.png
-- ==
-- entry: grey
-- input { [[[241u8, 79u8, 183u8], [34u8, 161u8, 235u8], [248u8, 76u8, 85u8], [158u8, 101u8, 187u8], [51u8,
--   43u8, 12u8]], [[120u8, 54u8, 76u8], [234u8, 208u8, 215u8], [151u8, 28u8, 191u8], [154u8, 232u8, 122u8],
--   [44u8, 152u8, 116u8]], [[168u8, 96u8, 78u8], [32u8, 246u8, 193u8], [119u8, 60u8, 160u8], [105u8, 162u8,
--   23u8], [47u8, 188u8, 15u8]], [[173u8, 105u8, 0u8], [195u8, 179u8, 208u8], [229u8, 186u8, 215u8], [28u8,
--   235u8, 233u8], [177u8, 205u8, 189u8]]] }
-- output { [[139u8, 131u8, 128u8, 127u8, 41u8], [76u8, 216u8, 83u8, 196u8, 115u8], [115u8, 175u8, 89u8,
--   129u8, 125u8], [113u8, 187u8, 202u8, 172u8, 194u8]] }
-- input { empty([0][3][3]u8) }
-- output { empty([0][3]u8) }

-- ==
-- entry: blur
-- input { [[139u8, 131u8, 128u8, 127u8, 41u8], [76u8, 216u8, 83u8, 196u8, 115u8], [115u8, 175u8, 89u8,
--   129u8, 125u8], [113u8, 187u8, 202u8, 172u8, 194u8]] }
-- output { [[129u8, 134u8, 130u8, 113u8, 88u8], [125u8, 137u8, 136u8, 128u8, 114u8], [127u8, 145u8, 149u8,
--   146u8, 143u8], [133u8, 156u8, 167u8, 168u8, 169u8]] }
-- input { [[139u8]] }
-- output { [[139u8]] }
-- random input { [40][67]u8 }
-- auto output

-- ==
-- entry: edges
-- input { [[139u8, 131u8, 128u8, 127u8, 41u8], [76u8, 216u8, 83u8, 196u8, 115u8], [115u8, 175u8, 89u8,
--   129u8, 125u8], [113u8, 187u8, 202u8, 172u8, 194u8]] }
-- output { [[155u8, 67u8, 71u8, 255u8, 255u8], [255u8, 33u8, 95u8, 50u8, 255u8], [255u8, 107u8, 224u8,
--   178u8, 223u8], [255u8, 255u8, 255u8, 255u8, 255u8]] }
-- random input { [40][67]u8 }
-- auto output

-- ==
-- entry: equalise
-- input { [[139u8, 131u8, 128u8, 127u8, 41u8], [76u8, 216u8, 83u8, 196u8, 115u8], [115u8, 175u8, 89u8,
--   129u8, 125u8], [113u8, 187u8, 202u8, 172u8, 194u8]] }
-- output { [[165u8, 153u8, 127u8, 114u8, 12u8], [25u8, 255u8, 38u8, 229u8, 89u8], [89u8, 191u8, 51u8,
--   140u8, 102u8], [63u8, 204u8, 242u8, 178u8, 216u8]] }
-- input { empty([0][0]u8) }
-- output { empty([0][0]u8) }
-- random input { [40][67]u8 }
-- auto output

-- ==
-- entry: main
-- input { [[[241u8, 79u8, 183u8], [34u8, 161u8, 235u8], [248u8, 76u8, 85u8], [158u8, 101u8, 187u8], [51u8,
--   43u8, 12u8]], [[120u8, 54u8, 76u8], [234u8, 208u8, 215u8], [151u8, 28u8, 191u8], [154u8, 232u8, 122u8],
--   [44u8, 152u8, 116u8]], [[168u8, 96u8, 78u8], [32u8, 246u8, 193u8], [119u8, 60u8, 160u8], [105u8, 162u8,
--   23u8], [47u8, 188u8, 15u8]], [[173u8, 105u8, 0u8], [195u8, 179u8, 208u8], [229u8, 186u8, 215u8], [28u8,
--   235u8, 233u8], [177u8, 205u8, 189u8]]] }
-- output { [[[25u8, 25u8, 25u8], [12u8, 12u8, 12u8], [76u8, 76u8, 76u8], [204u8, 204u8, 204u8], [178u8,
--   178u8, 178u8]], [[38u8, 38u8, 38u8], [51u8, 51u8, 51u8], [114u8, 114u8, 114u8], [216u8, 216u8, 216u8],
--   [255u8, 255u8, 255u8]], [[89u8, 89u8, 89u8], [153u8, 153u8, 153u8], [165u8, 165u8, 165u8], [229u8,
--   229u8, 229u8], [255u8, 255u8, 255u8]], [[127u8, 127u8, 127u8], [191u8, 191u8, 191u8], [76u8, 76u8,
--   76u8], [102u8, 102u8, 102u8], [140u8, 140u8, 140u8]]] }
-- input { empty([0][0][3]u8) }
-- output { empty([0][0][3]u8) }
-- random input { [100][131][3]u8 }
-- auto output
-- "large" notest random input { [4000][6000][3]u8 }

-- ==
-- entry: contrast
-- random input { [50][31][3]u8 }
-- auto output

-- Luminance, in the weights of ITU-R BT.601 out of 256.
entry grey [h] [w] (image: [h][w][3]u8) : [h][w]u8 =
  let luminance (p: [3]u8) =
    u8.i32 ((77 * i32.u8 p[0] + 150 * i32.u8 p[1] + 29 * i32.u8 p[2]) >> 8)
  in map (map luminance) image

-- The value at (i, j), or at the nearest place inside.
def at [h] [w] (a: [h][w]u8) (i: i64) (j: i64) : i32 =
  i32.u8 a[i64.max 0 (i64.min (h - 1) i), i64.max 0 (i64.min (w - 1) j)]

-- Binomial blur over five by five points: along rows, then along columns.
entry blur [h] [w] (a: [h][w]u8) : [h][w]u8 =
  let weigh p q r s t = u8.i32 ((p + 4 * q + 6 * r + 4 * s + t + 8) >> 4)
  let along =
    tabulate_2d h w (\i j -> weigh (at a i (j - 2)) (at a i (j - 1)) (at a i j) (at a i (j + 1)) (at a i (j + 2)))
  in tabulate_2d h w (\i j ->
       weigh (at along (i - 2) j) (at along (i - 1) j) (at along i j) (at along (i + 1) j) (at along (i + 2) j))

-- Sobel's operator: the size of the gradient, at most 255.
entry edges [h] [w] (a: [h][w]u8) : [h][w]u8 =
  let gradient i j =
    let east = at a (i - 1) (j + 1) + 2 * at a i (j + 1) + at a (i + 1) (j + 1)
    let west = at a (i - 1) (j - 1) + 2 * at a i (j - 1) + at a (i + 1) (j - 1)
    let south = at a (i + 1) (j - 1) + 2 * at a (i + 1) j + at a (i + 1) (j + 1)
    let north = at a (i - 1) (j - 1) + 2 * at a (i - 1) j + at a (i - 1) (j + 1)
    let gx = f32.i32 (east - west)
    let gy = f32.i32 (south - north)
    in u8.i32 (i32.min 255 (i32.f32 (f32.sqrt (gx * gx + gy * gy))))
  in tabulate_2d h w gradient

-- Spreads the values so that each level is about equally frequent.
entry equalise [h] [w] (a: [h][w]u8) : [h][w]u8 =
  let counts = hist (+) 0i64 256 (map i64.u8 (flatten a)) (replicate (h * w) 1)
  let below = scan (+) 0 counts
  let level v = if h * w == 0 then 0 else u8.i64 (255 * below[i64.u8 v] / (h * w))
  in map (map level) a

def paint [h] [w] (a: [h][w]u8) : [h][w][3]u8 = map (map (\v -> [v, v, v])) a

entry main [h] [w] (image: [h][w][3]u8) : [h][w][3]u8 =
  image |> grey |> blur |> edges |> equalise |> paint

entry contrast [h] [w] (image: [h][w][3]u8) : [h][w][3]u8 =
  image |> grey |> equalise |> paint
