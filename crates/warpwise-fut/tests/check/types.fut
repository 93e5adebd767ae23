-- Shapes of values, without sizes.

def operands (x: i32) (y: f32) = x + y -- error: E0201
def condition (x: i32) = if x then 1i32 else 2i32 -- error: E0201
def branches (c: bool) = if c then 1i32 else 2f32 -- error: E0201
def elements = [1i32, 2i32, true] -- error: E0201
def result (x: i32) : bool = x -- error: E0201
def argument (x: i32) = f32.sqrt x -- error: E0201
def not_a_function (x: i32) = x 1 -- error: E0206
def too_many (x: i32) = i32.abs x x -- error: E0206
def no_field (r: {a: i32}) = r.b -- error: E0205
def not_a_record (x: i32) = x.a -- error: E0205
def rank (xs: []i32) = xs[0, 1] -- error: E0201
def index (xs: []i32) (x: f32) = xs[x] -- error: E0201
def unsigned_index (xs: []i32) (x: u8) = xs[x] -- error: E0201
def slice_bound (xs: []i32) (i: i32) = xs[i:] -- error: E0201
def update (xs: *[4]i32) = xs with [0] = true -- error: E0201
def infinite f = f f -- error: E0201
def logic (x: i32) = x && true -- error: E0201
def float_bits (x: f32) = x & x -- error: E0201
def compare_functions (f: i32 -> i32) = f == f -- error: E0201
def compare_abstract 't (x: t) = x == x -- error: E0201
def loop_result (n: i32) = loop x = 0i32 for i < n do true -- error: E0201
def while_condition (n: i32) = loop x = n while x do x - 1 -- error: E0201
def unknown_record r = r.x -- error: E0207

-- Literals take the type of where they stand; what nothing decides is i32 or f64.
def literal_i8 : i8 = 127
def literal_too_large : i8 = 128 -- error: E0209
def literal_negative : i8 = -128
def literal_of_float : f32 = 1
def defaulted : i32 = let x = 3 in x
def defaulted_float : f64 = let x = 3.5 in x
def suffixed_wraps : u8 = 255u8

-- Polymorphism: top-level functions are generalised, local ones only if it is written.
def id1 x = x
def use_id : (i32, bool) = (id1 1, id1 true)
def local_poly =
  let same 'a (x: a) = x
  in (same 1i32, same true)
def local_mono =
  let same x = x
  in (same 1i32, same true) -- error: E0201

def higher_order (f: i32 -> bool -> f32) (g: bool) = f 1 g
def composed = (i32.abs >-> f32.i32 >-> f32.sqrt) 3
def sections (xs: []i32) = (map (+ 1) xs, map (2 -) xs, map (`i32.max` 3) xs)
def record_sections (xs: [](i32, bool)) = map (.0) xs
def pipes (xs: []f32) = xs |> map f32.abs |> f32.sum
def (|+|) (a: (i32, i32)) (b: (i32, i32)) = (a.0 + b.0, a.1 + b.1)
def use_operator = reduce (|+|) (0, 0) [(1, 2), (3, 4)]
def equal_tuples (a: (i32, [3]bool)) (b: (i32, [3]bool)) = a == b
def wrong_types_cascade_not = let x = 1i32 + true in x + x -- error: E0201

type pair 'a 'b = {fst: a, snd: b}
def swap 'a 'b (p: pair a b) : pair b a = {fst = p.snd, snd = p.fst}
def with_field (p: pair i32 bool) : pair i32 bool = p with fst = 3
def too_few_arguments (p: pair i32) = p -- error: E0212
def size_for_type (p: pair [3] bool) = p -- error: E0212

def array_of_functions = [i32.abs] -- error: E0211
def choose_function (c: bool) = if c then i32.abs else i32.sgn -- error: E0211
def map_to_functions (xs: []i32) = map (+) xs -- error: E0216

-- Inferred type parameters hide what their uses allow.
def apply_to f x = f x
def applied_twice (x: i32) = apply_to (apply_to (i32.+) x) x
def chosen c x y = if c then x else y
def not_chosen = chosen true (\(x: i32) -> x) (\x -> x + 1) -- error: E0216
def put_in_array x = [x]
def no_function_in_array = put_in_array (\(x: i32) -> x) -- error: E0216
def nothing_inside = []
def of_i32 : [0]i32 = nothing_inside
def of_bool : [0]bool = nothing_inside
def reversals = let f = reverse in {f, g = reverse}
def use_reversals = (\p -> (p.f [1, 2], p.g [true])) reversals

-- A type parameter of a local function stays inside.
def leaves_by_branch x =
  let g 'b (y: b) = if true then y else x -- error: E0201
  in g
def stays_inside 't (x: t) =
  let g 'b (y: b) = (x, y)
  in (g 1i32, g true)

-- A value of many sizes is computed for each; it cannot have an unknown size, too.
def many_sizes [n] : [n]i64 = iota n
def many_sizes_and_unknown [n] = (iota n, filter (> 5) (iota n)) -- error: E0302

-- Types hide what they were declared to, whatever they stand for.
type^ secret = [2]i32
def secrets (xs: [3]secret) = xs -- error: E0211
type~ of_some_size = []i32
type rows = [3]of_some_size -- error: E0211
type two_of_some_size = (of_some_size, i32) -- error: E0216
type wrapped 'a = {value: a}
type wrapped_size = wrapped of_some_size -- error: E0216
type~ wrapped_size_declared = wrapped of_some_size
type unused_size [n] = i32 -- error: E0304
type size_twice [n] [n] = [n][n]i32 -- error: E0210
type parameter_twice 'a 'a = a -- error: E0210
type^ hides_in_function = []bool -> bool -- error: E0306
type^ gives_some_size = bool -> []bool
def functions (fs: [](i32 -> i32)) = fs -- error: E0211
