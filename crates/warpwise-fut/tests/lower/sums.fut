-- Sums are a tag and slots: scalars of one machine type share a slot, an array has its own. Cases become choices.
type shape [n] = #point f32 f32 | #circle f32 i32 | #path ([n]f32)

entry area [n] (s: shape [n]) : f32 =
  match s
  case #circle r 1 -> r
  case #point x y -> x * y
  case #path xs -> f32.sum xs
  case _ -> 0

entry points [n] (xs: [n]f32) (k: i32) : [n](shape [2]) =
  map (\x -> if x < 0 then #circle x k else #path [x, x]) xs

type option 'a = #none | #some a
entry both (x: option (option u8)) (y: {inner: option (option u8), on: bool}) : bool =
  x == y.inner && y.on
