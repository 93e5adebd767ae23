-- What is odd, but no error.

def hole (x: i32) : i32 = x + ??? -- warning: W0001
def two_holes (x: i32) : (i32, bool) = (???, ???) -- warning: W0001 W0001
def of_function (xs: []i32) : []i32 = map ??? xs -- warning: W0001
def applied (x: i32) : bool = ??? x x -- warning: W0001
def of_array [n] (xs: [n]i32) : [n]i32 = if xs[0] > 0 then xs else ??? -- warning: W0001
def polymorphic 'a (x: a) : a = let y : a = ??? in if true then x else y -- warning: W0001

module m (x: { val y: i32 }) = {
  def z : i32 = x.y + ??? -- warning: W0001
}
module once = m { def y = 1i32 }
module twice = m { def y = 2i32 }

def compared [n] (xs: [n]i32) (ys: [n]i32) = xs == ys -- warning: W0002
def compared_rows [n] (xs: [n][2]i32) = xs[0] != [1, 2] -- warning: W0002
def scalars (x: i32) (y: i32) = x == y
def pairs (x: (i32, i32)) (y: (i32, i32)) = x == y

def star (x: *i32) = x -- warning: W0003
def star_inside (x: *(i32, f32)) = x.0 -- warning: W0003
def star_of_array (x: *[]i32) = x
def star_of_parameter 't (x: *t) = x

def plus x y = x + y -- warning: W0004
def quotient x = f64.sqrt x
def root x = x ** 0.5 -- warning: W0004
