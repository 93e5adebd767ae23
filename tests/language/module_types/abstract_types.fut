-- A type that is listed without its definition is abstract: the definition is not known outside the module.
-- ==
-- error: E0201.*:13:18
module type stack = {
  type t
  val empty : t
}
module m : stack = {
  type t = i32
  def empty = 0i32
}

def main : i32 = m.empty
