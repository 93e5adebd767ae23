import "included_part"

-- One of every type that is passed, and back.

entry bools [n] (x: bool) (xs: [n]bool) : (bool, [n]bool) = (!x, map (\x -> !x) xs)
entry bytes [n] (x: u8) (y: i8) (xs: [n]u8) : (u8, i8, [n]u8) = (x + 1, y - 1, map (+ 1) xs)
entry shorts (x: u16) (y: i16) : (u16, i16) = (x + 1, y - 1)
entry words (x: u32) (y: i32) : (u32, i32) = (x + 1, y - 1)
entry longs (x: u64) (y: i64) : (u64, i64) = (x + 1, y - 1)
entry floats [n] (x: f16) (y: f32) (z: f64) (xs: [n]f16) : (f16, f32, f64, [n]f16) = (x / 2, y / 2, z / 2, map (/ 2) xs)

entry cube [n][m][k] (xs: [n][m][k]i32) : [k][m][n]i32 = map transpose (transpose (map transpose xs))
entry constant = 5i32
entry nothing (_: i32) : () = ()
entry unnamed (p: {b: i32, a: []f32}) : (i32, (i64, bool)) = (p.b, (length p.a, null p.a))

type leaf = {at: (i32, i32), weight: f32}
type tree [n] = {leaves: [n]leaf, root: leaf, name': [n]u8}

entry grow [n] (t: tree [n]) (l: leaf) : tree [] =
  {leaves = t.leaves ++ [t.root], root = l, name' = t.name' ++ [33]}

entry weigh [n] (leaves: [n]leaf) : f32 = f32.sum (map (.weight) leaves)

type shape [n] = #dot | #disc f32 | #blob (i32, bool) ([n]u8) | #ring f32 f32

entry shapes [n] (bytes: [n]u8) (which: i32) : shape [n] =
  if which == 0 then #dot
  else if which == 1 then #disc 1.5
  else if which == 2 then #blob (-3, true) bytes
  else #ring 1 2

entry sum_shape [n] (s: shape [n]) : f32 =
  match s
  case #dot -> 0
  case #disc r -> r
  case #blob (x, _) bytes -> f32.i32 x + f32.i64 (i64.sum (map i64.u8 bytes))
  case #ring a b -> 10 * a + b

entry fn (self: i32) (context: i32) : i32 = twice self + context
entry agree [n] (xs: [n]i32) (ys: [n]i32) : [n]i32 = map2 (+) xs ys
entry at (xs: []i32) (i: i64) : i32 = xs[i]
