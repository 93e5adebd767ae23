-- In its own body, the name of a function refers to an earlier definition if only that reading is well-typed.
-- ==
-- entry: product
-- input { 1f32 2f32 }
-- output { 5f32 }

-- An operator, of the prelude: the sum of two vectors is no number.
type vector = {x: f32, y: f32}
def (a: vector) * (b: vector) : f32 = a.x * b.x + a.y * b.y

entry product (x: f32) (y: f32) = let v = {x, y} in v * v

-- A function of the prelude: the argument is of another type,
def iota (n: u8) = map u8.i64 (iota (i64.u8 n))

-- ==
-- entry: places
-- input { 3u8 }
-- output { [0u8, 1u8, 2u8] }
-- input { 0u8 }
-- output { empty([0]u8) }
entry places (n: u8) = iota n

-- or the result, though nothing says what that is,
def indices xs = indices xs |> map i32.i64
def rotate n xs = (n, rotate n xs)

-- ==
-- entry: rotated
-- input { "ab" }
-- output { [0, 1] 1i64 "ba" }
entry rotated (xs: []u8) = (indices xs, (rotate 1 xs).0, (rotate 1 xs).1)

-- or only a size: the earlier function is one for all sizes, and so is this.
def tail [n] 'a (xs: [n][2]a) : []a = flatten (tail xs)

-- ==
-- entry: without_row
-- input { [[1, 2], [3, 4]] }
-- output { [3, 4] }
entry without_row (xs: [][2]i32) = tail xs

-- What is opened here, or defined around a module, is earlier; so is a module of the name.
module rates = {
  def rate (x: f64) = x / 100
  def add (x: f64) (y: f64) = x + y
}
open rates
def rate (x: i32) = rate (f64.i32 x)
def f32 (x: f64) : f32 = f32.f64 x
module sums = {
  local def rate (x: (i32, i32)) = rates.add (rate x.0) (rate x.1)
  def both (x: i32) = rate (x, x)
}

-- ==
-- entry: rated
-- input { 50 }
-- output { 0.5f32 1f64 }
entry rated (x: i32) = (f32 (rate x), sums.both x)
