-- Module types are checked where they are written, whether any module has them or not.

module type unknown_type = { val x : t } -- error: E0203
module type unknown_argument = { type pair 'a val x : pair b } -- error: E0203
module type own_type = { module inner : { type t = t } } -- error: E0203
module type unknown_size = { val x : [n]i32 } -- error: E0202
module type anonymous = { val sum : []i32 -> i32 } -- error: E0306
module type two_sizes = { type grid [n] [n] } -- error: E0210
module type two_types = { type pair 'a 'a } -- error: E0210
module type two_values = { val x : i32 val x : i32 } -- error: E0210
module type value_and_module = { val x : i32 module x : {} } -- error: E0210
module type two_of_a_type = { type t type t = i32 } -- error: E0210
module type two_parameters = { val f : (n: i64) -> (n: i64) -> i64 } -- error: E0210
module type unknown_parent = { include parent } -- error: E0204
module type has_functions = { type t = i32 -> i32 } -- error: E0216

-- Errors are not repeated for modules that have such a type.
module of_unknown : unknown_type = { def x = 1i32 }
module of_unknown_inside : { include unknown_type } = { def x = 1i32 }
def quiet = of_unknown.x

-- `with` defines an abstract type, once, with as many parameters.
module type one = { type t val x : t }
module type generic = { type t 'a val x 'a : t a }
module type lifted = { type t '^a }
module type one_i32 = one with t = i32
module type twice = one_i32 with t = i32 -- error: E0225
module type twice_here = one with t = i32 with t = i32 -- error: E0225
module type absent = one with u = i32 -- error: E0225
module type more_parameters = one with t 'a = a -- error: E0225
module type fewer_parameters = generic with t = i32 -- error: E0225
module type narrower = lifted with t 'a = (a, a) -- error: E0225
module type same_parameters = generic with t 'a = (a, a)
module type too_lifted = one with t = i32 -> i32 -- error: E0216
module type unknown_definition = one with t = u -- error: E0203
module type parametric = (p: one) -> one
module type includes_parametric = { include parametric } -- error: E0221
module type of_parametric = ((p: one) -> one) with t = i32 -- error: E0225

-- Also inside of modules.
module type nested = { module inner : one module other : one val y : inner.t }
module nested_bool : nested with inner.t = bool = {
  module inner = { type t = bool def x = true }
  module other = { type t = i32 def x = 1i32 }
  def y = false
}
def inner_is_bool : bool = nested_bool.inner.x && nested_bool.y
def other_is_hidden : i32 = nested_bool.other.x -- error: E0201
module nested_wrong : nested with inner.t = bool = { -- error: E0217
  module inner = { type t = i32 def x = 1i32 }
  module other = { type t = i32 def x = 1i32 }
  def y = false
} -- errors are at the module
module type nested_absent = nested with third.t = bool -- error: E0225
module type nested_deeper = { module n : nested } with n.inner.t = i8 with n.other.t = i16
module deeper : nested_deeper = {
  module n = {
    module inner = { type t = i8 def x = 1i8 }
    module other = { type t = i16 def x = 1i16 }
    def y = 2i8
  }
}
def deep : i8 = deeper.n.y

-- A specification may speak of an abstract type that the module defines later, or by another module of its own.
module type by_later = { type key module table : { type column = key val first : column } }
module later : by_later = {
  module table = { type column = i32 def first = 1i32 }
  type key = table.column
}
def a_key : later.key = later.table.first
def a_column (k: later.key) : later.table.column = k

-- What a named module type means does not depend on where it is used.
type t = bool
module type of_outer_t = { val flag : t }
module type of_own_t = { type t include of_outer_t }
module outer_t : of_own_t = { type t = i32 def flag = true }
def flag : bool = outer_t.flag
module own_t : of_own_t = { type t = i32 def flag = 1i32 } -- error: E0217

-- The names of values and modules are of one kind.
module name = {}
def name = 1i32 -- error: E0210
module type name = {}
type name = i32
module itself = intrinsics -- error: E0221
