-- A type that a module type declares by `type` counts as hiding no sizes, whatever definition `with` gives it.
-- ==
-- input { 3i64 }
-- output { 4i64 }
module type boxes = {type ctx val get : () -> ctx}

module box (k: {type~ ctx val get : () -> ctx}) : boxes with ctx = k.ctx = {
  type~ ctx = k.ctx
  def get = k.get
}

module user (k: {type~ ctx val get : () -> ctx}) = {
  module b = box k
  type c = b.ctx
  def both (n: i64) : (c, i64) = (b.get (), n + 1)
}

module u = user {type~ ctx = i32 def get () = 7i32}

entry main (n: i64) : i64 = (u.both n).1
