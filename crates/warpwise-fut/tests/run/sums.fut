-- Sum types and match: alone, in arrays, loops, records, modules; compared, consumed, and with functions inside.
-- ==
-- entry: areas
-- input { [0i32, 1i32, 2i32, 1i32] [2.0f32, 3.0f32, 4.0f32, 0.5f32] }
-- output { [0.0f32, 9.0f32, 8.0f32, 0.25f32] }
-- input { [2i32] [5.0f32] }
-- output { [10.0f32] }
-- input { empty([0]i32) empty([0]f32) }
-- output { empty([0]f32) }

-- ==
-- entry: options
-- input { [3i32, -1i32, 7i32, -2i32] }
-- output { 2i64 10i32 [true, false, true, false] }
-- input { [-1i32] }
-- output { 0i64 0i32 [false] }
-- input { empty([0]i32) }
-- output { 0i64 0i32 empty([0]bool) }

-- ==
-- entry: first_positive
-- input { [-3i32, 0i32, 5i32, 6i32] }
-- output { 5i32 }
-- input { [-1i32] }
-- output { -1i32 }
-- input { empty([0]i32) }
-- output { -1i32 }

-- ==
-- entry: machine
-- input { [1i32, 2i32, 1i32, 1i32, 2i32] }
-- output { 58i32 }
-- input { [3i32] }
-- output { 0i32 }
-- input { empty([0]i32) }
-- output { 1i32 }

-- ==
-- entry: literals
-- input { 0i32 97u8 }
-- output { 1i32 }

-- ==
-- entry: classify
-- input { [-1i32, 0i32, 3i32, 16i32] [1.5f32, 2.5f32, -1.0f32, 0.0f32] }
-- output { [1i32, 3i32, 2i32, 4i32] }
-- input { empty([0]i32) empty([0]f32) }
-- output { empty([0]i32) }

-- ==
-- entry: equalities
-- input { 1i32 [1i32, 2i32] }
-- output { true false true false true false true }
-- input { 3i32 empty([0]i32) }
-- output { false false true false true false true }

-- ==
-- entry: payload_arrays
-- input { true [1i32, 2i32, 3i32] }
-- output { [1i32, 2i32, 3i32] 6i32 }
-- input { false [1i32, 2i32, 3i32] }
-- output { [0i32, 0i32, 0i32] -3i32 }
-- input { true [9i32] }
-- output { [9i32] 9i32 }
-- input { false empty([0]i32) }
-- output { empty([0]i32) 0i32 }

-- ==
-- entry: rows
-- input { [[1i32, 2i32], [3i32, -4i32], [5i32, 6i32]] }
-- output { [3i32, 0i32, 11i32] }
-- input { [[1i32]] }
-- output { [1i32] }
-- input { empty([0][2]i32) }
-- output { empty([0]i32) }
-- input { empty([2][0]i32) }
-- output { [0i32, 0i32] }

-- ==
-- entry: hidden_sizes
-- input { 0i32 [4i32, -5i32, 6i32] }
-- output { [4i32, 6i32] 2i64 }
-- input { 1i32 [4i32, -5i32, 6i32] }
-- output { [1i32] 1i64 }
-- input { 2i32 [4i32, -5i32, 6i32] }
-- output { empty([0]i32) 0i64 }
-- input { 0i32 [-1i32] }
-- output { empty([0]i32) 0i64 }

-- ==
-- entry: updates
-- input { [1i32, 2i32, 3i32] 0i32 }
-- output { [10i32, 2i32, 3i32] }
-- input { [1i32, 2i32, 3i32] 1i32 }
-- output { [1i32, 20i32, 3i32] }
-- input { [1i32, 2i32, 3i32] 2i32 }
-- output { [1i32, 2i32, 3i32] }

-- ==
-- entry: in_place
-- input { [1i32, 2i32] }
-- output { [-1i32, -2i32, 2i32, 4i32] }
-- input { empty([0]i32) }
-- output { empty([0]i32) }

-- ==
-- entry: nested_sums
-- input { 1i32 } output { 11i32 }
-- input { 2i32 } output { 102i32 }
-- input { 3i32 } output { 1i32 }
-- input { 4i32 } output { -1i32 }

-- ==
-- entry: functions
-- input { 3i32 }
-- output { 4i32 9i32 3i32 }

-- ==
-- entry: only_evaluated_where_chosen
-- input { 0i32 } output { 0i32 }
-- input { 5i32 } output { 20i32 }

-- ==
-- entry: failing_case
-- input { 0i32 } output { 1i32 }
-- input { 3i32 } error: Index \[3\] out of bounds

-- ==
-- entry: modules
-- input { 5i64 }
-- output { 10i64 0i64 }

-- ==
-- entry: separated
-- input { [3i32, 1i32, 2i32] }
-- output { [3i32, 1i32, 2i32] 1i64 }
-- input { empty([0]i32) }
-- output { empty([0]i32) 0i64 }

-- ==
-- entry: unused_size
-- input { 3i64 } output { 3i64 }
-- input { 0i64 } output { 0i64 }

-- ==
-- entry: many_cases
-- input { [0i32, 7i32, 19i32, 20i32, -1i32, 12i32] }
-- output { [100i32, 107i32, 3i32, 40i32, -1i32, 24i32] }
-- input { empty([0]i32) }
-- output { empty([0]i32) }

-- ==
-- entry: consumed_parameter
-- input { 2i64 } output { [1i32, 7i32] }
-- input { 1i64 } output { [7i32] }

type shape = #dot | #square f32 | #rectangle f32 f32
def area (s: shape) : f32 =
  match s
  case #dot -> 0
  case #square a -> a * a
  case #rectangle a b -> a * b
def make_shape (kind: i32) (size: f32) : shape =
  match kind
  case 0 -> #dot
  case 1 -> #square size
  case _ -> #rectangle size 2
entry areas [n] (kinds: [n]i32) (sizes: [n]f32) : [n]f32 =
  map2 make_shape kinds sizes |> map area

type option 'a = #none | #some a
def is_some 'a (x: option a) : bool =
  match x
  case #some _ -> true
  case #none -> false
def or_else 'a (default: a) (x: option a) : a =
  match x
  case #some y -> y
  case #none -> default
entry options [n] (xs: [n]i32) : (i64, i32, [n]bool) =
  let os : [n](option i32) = map (\x -> if x < 0 then #none else #some x) xs
  let present = filter is_some os
  in (length present, i32.sum (map (or_else 0) present), map is_some os)

def first 'a (x: option a) (y: option a) : option a =
  match (x, y)
  case (#some x, _) -> #some x
  case (#none, y) -> y
entry first_positive (xs: []i32) : i32 =
  reduce first #none (map (\x -> if x > 0 then #some x else #none) xs) |> or_else (-1)

type state = #running i32 i64 | #doubled {value: i32} | #stopped
entry machine (commands: []i32) : i32 =
  let s =
    loop s = #running 1 0i64 : state
    for c in commands do
      match (s, c)
      case (#running v n, 1) -> #running (v + 9) (n + 1)
      case (#running v _, 2) -> #doubled {value = 2 * v}
      case (#doubled {value}, 1) -> #running value 0
      case (#doubled {value}, 3) -> #running (value * 2) 0
      case (#running _ n, _) -> if n == 0 then #stopped else s
      case _ -> s
  in match s
     case #running v n -> v + i32.i64 n
     case #doubled r -> r.value * 2 - r.value
     case #stopped -> 0

entry literals (x: i32) (c: u8) : i32 =
  match (x, c)
  case (1, _) -> 0
  case (_, 'a') -> 1
  case _ -> 2

entry classify [n] (xs: [n]i32) (ys: [n]f32) : [n]i32 =
  let one x (y: f32) =
    match (x, y)
    case (-1, _) -> 1
    case (_, -1f32) -> 2
    case (0, 2.5) -> 3
    case _ -> 4i32
  in map2 one xs ys

type either 'a 'b = #left a | #right b
entry equalities (x: i32) (xs: []i32) : (bool, bool, bool, bool, bool, bool, bool) =
  let a : either i32 ([]i32) = #left x
  let b : either i32 ([]i32) = #right xs
  let c : either bool (option (i8, f32)) = #right (#some (1, 2.5))
  let nan : option f32 = #some f32.nan
  in ( a == #left 1
     , a == b
     , b == #right (map (+ 0) xs)
     , c == #right #none
     , c == #right (#some (1, 2.5))
     , nan == nan
     , c != #left true
     )

type maybe_row [n] = #row ([n]i32) | #nothing
def make_row [n] (c: bool) (xs: [n]i32) : maybe_row [n] = if c then #row xs else #nothing
entry payload_arrays [n] (c: bool) (xs: [n]i32) : ([n]i32, i32) =
  let r = make_row c xs
  in match r
     case #row ys -> (ys, i32.sum ys)
     case #nothing -> (replicate n 0, - (i32.i64 n))

entry rows [n] [m] (xss: [n][m]i32) : [n]i32 =
  let rs = map (\xs -> make_row (all (>= 0) xs) xs) xss
  in map (\(r: maybe_row [m]) -> match r case #row ys -> i32.sum ys case #nothing -> 0) rs

type~ list = #many ([]i32) | #one i32 | #empty
entry hidden_sizes (k: i32) (xs: []i32) : ([]i32, i64) =
  let positive = filter (> 0) xs
  let make (k: i32) : list =
    match k
    case 0 -> #many positive
    case 1 -> #one k
    case _ -> #empty
  let ys =
    match make k
    case #many ys -> ys
    case #one y -> [y]
    case #empty -> []
  in (ys, length ys)

type place = #first ([3]i32) | #second ([3]i32) | #neither {values: [3]i32}
entry updates (xs: *[3]i32) (k: i32) : *[3]i32 =
  let p : place =
    match k
    case 0 -> #first xs
    case 1 -> #second xs
    case _ -> #neither {values = xs}
  in match p
     case #first ys -> ys with [0] = 10
     case #second ys -> ys with [1] = 20
     case #neither r -> r.values

type sign = #minus i32 | #twice i32
entry in_place [n] (xs: [n]i32) : []i32 =
  let signs : *[]sign = map (\x -> #minus x) xs ++ map (\x -> #twice x) xs
  let signs =
    loop signs for i < length signs do
      signs with [i] = match signs[i]
                       case #minus x -> #twice (-x)
                       case #twice x -> #minus (2 * x)
  in map (\(s: sign) -> match s case #minus x -> x case #twice x -> x) signs

entry nested_sums (k: i32) : i32 =
  let v : either (either i32 bool) (either (i32, i32) (option i32)) =
    match k
    case 1 -> #left (#left 10)
    case 2 -> #right (#left (2, 100))
    case 3 -> #right (#right (#some 3))
    case _ -> #left (#right false)
  in match v
     case #left (#left x) -> x + k
     case #right (#left (a, b)) -> a + b
     case #right (#right (#some 3)) -> 1
     case #right (#right _) -> 0
     case #left (#right true) -> -2
     case #left (#right false) -> -1

type^ action = #apply (i32 -> i32) | #twice (i32 -> i32) | #keep
def act (a: action) (x: i32) : i32 =
  match a
  case #apply f -> f x
  case #twice f -> f (f x)
  case #keep -> x
entry functions (x: i32) : (i32, i32, i32) =
  (act (#apply (+ 1)) x, act (#twice (\y -> y + x)) x, act #keep x)

entry only_evaluated_where_chosen (x: i32) : i32 =
  match x
  case 0 -> 0
  case y -> 100 / y

entry failing_case (i: i32) : i32 =
  match i
  case 2 -> 2
  case j -> ([1, 2, 3] : [3]i32)[j]

module type stack = {
  type t
  val empty : t
  val push : i64 -> t -> t
  val total : t -> i64
}
module small : stack = {
  type t = #empty | #one i64 | #two i64 i64
  def empty : t = #empty
  def push x (s: t) : t =
    match s
    case #empty -> #one x
    case #one y -> #two x y
    case #two y _ -> #two x y
  def total (s: t) : i64 =
    match s
    case #empty -> 0
    case #one x -> x
    case #two x y -> x + y
}
entry modules (x: i64) : (i64, i64) =
  (small.total (small.push x (small.push x (small.push 1 small.empty))), small.total small.empty)

type parity = #odd i32 | #even i32
entry separated (xs: []i32) : ([]i32, i64) =
  let tag (x: i32) : parity = if x % 2 == 0 then #even x else #odd x
  let (odds, evens) = partition (\(p: parity) -> match p case #odd _ -> true case #even _ -> false) (map tag xs)
  let value (p: parity) = match p case #odd x -> x case #even x -> x
  in (map value (odds ++ evens), length evens)

type cell [n] = #full ([n]i32) | #void
def set_last [n] (c: *cell [n]) : *[n]i32 =
  match c
  case #full xs -> xs with [n - 1] = 7
  case #void -> replicate n 0
entry consumed_parameter (n: i64) : []i32 =
  set_last (#full (map (\i -> i32.i64 i + 1) (iota n)))

entry many_cases [n] (xs: [n]i32) : [n]i32 =
  let one (x: i32) : i32 =
    match x
    case 0 -> 100
    case 1 -> 101
    case 2 -> 102
    case 3 -> 103
    case 4 -> 104
    case 5 -> 105
    case 6 -> 106
    case 7 -> 107
    case 8 -> 108
    case 9 -> 109
    case 10 -> x * x
    case 11 -> 2 + x
    case 12 -> x + 12
    case 13 -> 113
    case 14 -> 114
    case 15 -> 115
    case 16 -> 116
    case 17 -> 117
    case 18 -> 118
    case 19 -> i32.sum (map (\i -> i32.i64 i) (iota 3))
    case -1 -> -1
    case _ -> 2 * x
  in map one xs

type~ hidden = #here ([]i32) | #there ([]i32)
def here (n: i64) : hidden = #here (replicate n 1)
entry unused_size (n: i64) : i64 =
  match here n
  case #here xs -> length xs
  case #there xs -> length xs + 100
