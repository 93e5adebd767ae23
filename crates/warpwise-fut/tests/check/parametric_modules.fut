-- Parametric modules are checked where they are written, and their errors are reported once.

module type point = {
  type t
  val origin : t
  val move : t -> i32 -> t
}

-- Applied or not: what is known of the parameter is its module type.
module unused (p: point) = { def steps (x: p.t) : i32 = x } -- error: E0201
module used_twice (p: point) = { def start = p.start } -- error: E0202
module line = { type t = i32 def origin = 0i32 def move (x: i32) (d: i32) = x + d }
module once = used_twice line
module twice = used_twice line
def silent = once.start i32.+ twice.start

module promises (p: point) : { val far : p.t } = { def near = p.move p.origin 1 } -- error: E0217
module elements (p: { type^ t }) = { def none : []p.t = [] } -- error: E0211
module hides (p: { type~ t }) = { type t = p.t } -- error: E0216
module inside (p: point) = {
  module deeper (q: point) = { def both : p.t = q.origin } -- error: E0201
}
module unknown_signature (p: pointt) = { def x = p.origin } -- error: E0204
module of_unknown = unknown_signature line

-- What is fine for all arguments is fine for each.
module walk (p: point) = {
  def far (n: i32) : p.t = loop x = p.origin for i < n do p.move x i
  module again (q: point with t = p.t) = { def on (n: i32) : p.t = p.move q.origin n }
}
module walk_line = walk line
module more = walk_line.again line
def distance : i32 = walk_line.far 3 + more.on 4

-- Lambdas are parametric modules without a name.
module by_lambda = \(p: point) : { val there : p.t } -> { def there = p.move p.origin 1 }
module bad_lambda = \(p: point) : { val there : i32 } -> { def there = p.move p.origin 1 } -- error: E0217
def there : i32 = (let x = 1i32 in x)
module applied_lambda = by_lambda line
def moved : i32 = applied_lambda.there

-- Parametric modules seen through a module type.
module type mover = (p: point) -> { val moved : p.t }
module by_two : mover = \(p: point) -> { def moved = p.move p.origin 2 def not_seen = p.origin }
module two = by_two line
def two_moved : i32 = two.moved
def not_seen = two.not_seen -- error: E0202
module takes_more : mover = \(p: { include point val extra : i32 }) -> { def moved = p.origin } -- error: E0217
module gives_less : mover = \(p: point) -> { def stays = p.origin } -- error: E0217
module takes_one_type : mover = \(p: point with t = i32) -> { def moved : i32 = p.origin } -- error: E0217
module no_mover : mover = line -- error: E0217
module no_point : point = by_two -- error: E0217
module takes_less : mover = \(p: { type t val origin : t }) -> { def moved = p.origin }

-- They are parameters, and parts of modules.
module apply_to_line (m: mover) = {
  module moved = m line
  def x : i32 = moved.moved
}
module applied = apply_to_line by_two
def applied_x : i32 = applied.x
module wrong_argument = apply_to_line line -- error: E0217

module type has_mover = { type id module move : (p: point) -> { val moved : p.t -> id -> p.t } }
module holder : has_mover = {
  type id = bool
  module move (p: point) = { def moved (x: p.t) (back: bool) = p.move x (if back then -1 else 1) }
}
module hold_line = holder.move line
def held (id: holder.id) : i32 = hold_line.moved 3 id
def leaks : i32 = hold_line.moved 3 true -- error: E0201

-- What is handed in is made by those who see the module, for the module.
module type box = {
  type key
  val key : i32 -> key
  module find : (table: { val at : key -> i32 }) -> { val found : key -> i32 }
}
module boxed : box = {
  type key = i64
  def key (x: i32) = i64.i32 x
  module find (table: { val at : i64 -> i32 }) = { def found (k: i64) = table.at (k + 1) }
}
module found = boxed.find { def at (_: boxed.key) = 1i32 }
def found_one = found.found (boxed.key 3)
module by_number = boxed.find { def at (k: i64) = i32.i64 k } -- error: E0217

-- Each application makes types of its own.
module fresh (p: {}) : { type t val make : i32 -> t val same : t -> t -> bool } = {
  type t = i32
  def make (x: i32) = x
  def same (x: i32) (y: i32) = x == y
}
module first = fresh {}
module second = fresh {}
def of_one = first.same (first.make 1) (first.make 2)
def of_two = first.same (first.make 1) (second.make 2) -- error: E0201
