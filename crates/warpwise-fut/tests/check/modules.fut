-- Modules: structures, sealing, parametric modules, what is seen through a module type.

module type number = {
  type t
  val zero : t
  val add : t -> t -> t
}

module int : number with t = i32 = {
  type t = i32
  def zero = 0i32
  def add (a: i32) (b: i32) = a + b
  def not_offered = 1i32
}
def transparent : i32 = int.add int.zero 3
def not_offered = int.not_offered -- error: E0202

module secret : number = {
  type t = f32
  def zero = 0f32
  def add (a: f32) (b: f32) = a + b
}
def opaque_use = secret.add secret.zero secret.zero
def opaque_leak : f32 = secret.zero -- error: E0201

module lacks : number = { type t = i32 def zero = 0i32 } -- error: E0217
module wrong : number with t = i32 = { -- error: E0217
  type t = i32
  def zero = 0f32
  def add (a: i32) (b: i32) = a + b
}
module other_type : number with t = i32 = { type t = f32 def zero = 0f32 def add (a: f32) (_: f32) = a } -- error: E0217

module sums (n: number) = {
  def sum [k] (xs: [k]n.t) : n.t = reduce n.add n.zero xs
}
module int_sums = sums int
def applied : i32 = int_sums.sum [1, 2, 3]
module not_parametric = int secret -- error: E0221

module type general = { val pick 'a : a -> a -> a }
module special : general = { def pick (a: i32) (_: i32) = a } -- error: E0217
module as_general : general = { def pick a _ = a }
def use_general = (as_general.pick 1i32 2, as_general.pick true false)

module a = { def x = 1i32 def y = 2i32 }
module b = { open a local def z = 3i32 }
def re_exported = b.x + b.y
open b
def opened = x + y

-- A specification names the sizes of parameters.
module anonymous_size : { val f : []i32 -> i32 } = { def f (xs: []i32) = xs[0] } -- error: E0306
module named_size : { val f [n] : [n]i32 -> i32 } = { def f (xs: []i32) = xs[0] }
