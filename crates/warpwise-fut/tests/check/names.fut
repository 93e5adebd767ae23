-- Names: what is looked up where, and that one mistake gives one error.

def f (x: i32) : i32 = x + undefined_thing -- error: E0202
def g (x: i32) : i32 = f x + f 2

def near (xs: []i32) = redcue (+) 0 xs -- error: E0202

def no_type (x: i23) = x -- error: E0203
def no_module (x: i32) = matrix.mul x -- error: E0202
def no_member (x: f32) = f32.squareroot x -- error: E0202

def twice (x: i32) (x: i32) = x -- error: E0210
def twice_in_tuple (x: i32, (y: i32, x: i32)) = x + y -- error: E0210
def twice_in_record = {a = 1i32, a = 2i32} -- error: E0210

def shadow (x: i32) =
  let x = f32.i32 x
  let x = x * 2
  in x

module m = {
  def a = 1i32
  module n = { def b = a + 1 }
  local def hidden = 3i32
}

def qualified = m.a + m.n.b
def is_hidden = m.hidden -- error: E0202
def opened = m.(a + n.b)
def projected (r: {a: {b: i32}}) = r.a.b + (r.a).b + r.a.b

def twice_defined = 1i32
def twice_defined = 2i32 -- error: E0210
type twice_declared = i32
type twice_declared = f32 -- error: E0210
def unused (_x: i32) (_: i32) = 1i32
def used_after_all (_x: i32) = _x + 1 -- error: E0222
def size_and_value [n] (n: [n]i32) = n -- error: E0210
def (&&) (a: bool) (_: bool) = a -- error: E0223
