-- | The file.

-- | Its first
-- declaration.
import "a/b"

open import "c"
open m
open f (g x) {def y = 1}
local open n
local -- | Documented.
def z = 1

module type empty = {}

module type all = {
  -- | A value.
  val x 'a [n] : [n]a
  val + : t -> t -> t
  val (*) 't : t
  val `f` : t
  #[attr]
  type a
  type~ b 'c [n]
  type^ d = i32
  module m : all with a = i32 with m.b 'c [n] = [n]c
  include empty
}

module type parametric = (p: all) -> all -> empty with t = p.t -> u

module plain = m.n
module sealed : empty = {}
module applied = f x (g y)
module lambda = \(x: empty) : (all with t = i32) -> f x : parametric
module functor (x: all) (y: {val z : x.t}) : (empty) = {
  def w = y.z

  module inner = {}
  let v = w
  entry u = v
}
def x + y = m.f x y
def (x: t) `g` {y} : u = x
def (-) x y = x
def (**.) = y
let old [n] (x: [n]t) : t = x
