-- Each application of a parametric module makes new abstract types.
-- ==
-- error: E0201.*:10:26
module type none = {}
module type token = { type t val make : t val same : t -> t -> bool }
module tokens (nothing: none) : token = { type t = i32 def make = 0i32 def same (x: t) (y: t) = x == y }
module a = tokens {}
module b = tokens {}

def main = a.same a.make b.make
