-- Sum types, constructors and patterns.

type option 'a = #none | #some a
type shape [n] = #dot | #circle f32 | #path ([n](f32, f32))
type colour = #red | #green | #blue

-- Order does not matter, and sums without a name are sums.
type colour_again = #blue | #red | #green
def same_type (c: colour) : colour_again = c
def written (x: #red | #blue) : #blue | #red = x

-- A constructor gets its type from where it stands.
def annotated = #red : colour
def from_result (x: i32) : option i32 = #some x
def from_branch (c: bool) (x: i32) : option i32 = if c then #none else #some x
def from_elements : []colour = [#red, #green]
def from_argument = from_result 3 == #some 3
def from_let : bool = let none = #none in (none : option i32) == none
def unknown = #red -- error: E0207
def unknown_match =
  match #some 3i32 -- error: E0207
  case #some x -> x
  case #none -> 0

def missing_constructor : colour = #yellow -- error: E0201
def too_few : option i32 = #some -- error: E0201
def too_many : option i32 = #none 3 -- error: E0201
def other_payload : option i32 = #some true -- error: E0201
def other_sum (x: option i32) : colour = x -- error: E0201
def no_order (x: colour) = x < #red -- error: E0201
def no_number (x: colour) = x + 1 -- error: E0201
def no_field (x: option {a: i32}) = x.a -- error: E0205
def not_a_sum (x: i32) = match x case #some _ -> 1 case _ -> 2 -- error: E0201
def twice (x: #a | #a i32) = x -- error: E0210

-- Matches.
def value_or (x: option i32) (default: i32) =
  match x
  case #none -> default
  case #some y -> y

def nested (x: option (option colour)) : i32 =
  match x
  case #some (#some #red) -> 1
  case #some (#some _) -> 2
  case #some #none -> 3
  case #none -> 4

def pairs (x: (colour, bool)) : i32 =
  match x
  case (#red, true) -> 1
  case (_, false) -> 2
  case (#green, _) -> 3
  case (#blue, true) -> 4

def literals (x: i32) (c: u8) (f: f32) : i32 =
  match (x, c, f)
  case (-1, 'a', _) -> 1
  case (0x10, 98, 2.5) -> 2
  case (_, _, -1f32) -> 3
  case _ -> 4

def fields (r: {kind: colour, size: i32}) : i32 =
  match r
  case {kind = #red, size} -> size
  case {kind, size = 3} -> if kind == #green then 1 else 2
  case {kind = _, size = _} -> 0

def unreachable_is_fine (x: option i32) : i32 =
  match x
  case #some y -> y
  case _ -> 1
  case #none -> 2

def branches_differ (x: option i32) =
  match x
  case #some y -> y
  case #none -> true -- error: E0201

def misses_one (x: colour) : i32 =
  match x -- error: E0220
  case #red -> 1
  case #blue -> 2

def misses_inside (x: option colour) : i32 =
  match x -- error: E0220
  case #none -> 0
  case #some #red -> 1
  case #some #green -> 2

def misses_numbers (x: u8) : i32 =
  match x -- error: E0220
  case 0 -> 1
  case 1 -> 2

def misses_a_corner (a: bool) (b: bool) (c: bool) : i32 =
  match (a, b, c) -- error: E0220
  case (true, _, false) -> 1
  case (false, true, _) -> 2
  case (_, false, true) -> 3
  case (false, false, _) -> 4

def negative_out_of_range (x: u8) =
  match x
  case -1 -> 1i32 -- error: E0209
  case _ -> 2i32

def bound_twice (x: (i32, i32)) =
  match x
  case (a, a) -> a -- error: E0210

-- Patterns elsewhere always match.
type wrapped = #wrapped i32 bool
def unwrap ((#wrapped x _): wrapped) = x
def unwrap_let (w: wrapped) = let #wrapped x b = w in if b then x else 0
def unwrap_lambda (ws: []wrapped) = map (\((#wrapped x _): wrapped) -> x) ws
def unwrap_loop (w: wrapped) = loop (#wrapped x b) = w for _i < 3i32 do #wrapped (x + 1) (!b)
def refutable_let (x: option i32) = let #some y = x in y -- error: E0219
def refutable_param ((#some x): option i32) = x -- error: E0219
def refutable_literal (x: i32) = let 1 = x in x -- error: E0219
def refutable_element (xs: [](option i32)) =
  loop s = 0 for (#some x) in xs do s + x -- error: E0219

-- Functions are carried, but not chosen.
type^ action = #act (i32 -> i32) | #wait
def act (a: action) : i32 = match a case #act f -> f 3 case #wait -> 0
def act_now = act (#act (+ 1)) + act #wait
def choose (c: bool) : action = if c then #act (+ 1) else #wait -- error: E0211
def choose_case (c: bool) : action = match c case true -> #wait case false -> #act (+ 2) -- error: E0211
type plain = #act (i32 -> i32) | #wait -- error: E0216
def compare_actions (a: action) = a == a -- error: E0201

-- Sizes.
def length_of [n] (s: shape [n]) : i64 =
  match s
  case #path ps -> length ps
  case #dot -> n
  case #circle _ -> n + 1
def both_sides [n] (c: bool) (xs: [n](f32, f32)) : shape [n] = if c then #path xs else #dot
def size_of_other [n] [m] (_: [m]i32) (xs: [n](f32, f32)) : shape [m] = #path xs -- error: E0301
type~ list = #list ([]i32) | #nil
def hidden (x: list) : []i32 = match x case #list xs -> xs case #nil -> []
def size_nowhere = let s = #dot : shape [] in s == s -- error: E0303
def size_too_early (c: bool) : option ([]i32) =
  if c
  then #none -- error: E0305
  else #some (filter (> 0) [1, 2, 3])
def size_in_other_branch (c: bool) : option ([]i32) =
  if c
  then #some (filter (> 0) [1, 2, 3])
  else #none -- error: E0305
def different_sizes (k: i32) =
  match k
  case 0 -> iota 1
  case 1 -> iota 2
  case _ -> iota 3
def of_bound_size (n: i64) = match n case m -> iota m

-- What is carried is consumed on its own.
def consume_payload (x: *option ([3]i32)) : *[3]i32 =
  match x
  case #some xs -> xs with [0] = 1
  case #none -> [1, 2, 3]
def consume_then_use (x: *option ([3]i32)) =
  let y = match x case #some xs -> xs with [0] = 1 case #none -> [1, 2, 3]
  in (x, y) -- error: E0401
def in_each_case (xs: *[3]i32) (k: i32) =
  match k
  case 0 -> xs with [0] = 1
  case 1 -> xs with [1] = 2
  case _ -> xs
def other_payload_stays (xs: *[3]i32) (ys: *[3]i32) =
  let p = #both xs ys : #both ([3]i32) ([3]i32)
  in match p case #both a b -> let a = a with [0] = b[0] in (a, b[0])
def alias_of_argument (xs: *[3]i32) =
  let x = #some xs : option ([3]i32)
  let ys = xs with [0] = 1
  in (x, ys) -- error: E0401
def lent (x: option ([3]i32)) =
  match x
  case #some xs -> xs with [0] = 1 -- error: E0402
  case #none -> [1, 2, 3]

-- A type does not contain itself.
def inside_itself r = match r case #a x -> (r == x, [(r, 1i32), (x, 2)]) -- error: E0201
def field_of_itself r = (r.x == r, [r]) -- error: E0201

-- A result may hide the size of what it does not carry.
type~ either_list = #left ([]i32) | #right ([]i32)
def left_only (n: i64) : either_list = #left (replicate n 0)
def length_of_left (n: i64) = match left_only n case #left xs -> length xs case #right ys -> length ys
def left_in_let (xs: []i32) =
  let x : either_list = #left xs -- error: E0303
  in xs
