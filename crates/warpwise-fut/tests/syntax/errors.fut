-- One error per declaration; parsing goes on at the next one. The text after the mark is in the message or its label.

def a1 = (1 * 2 + 3 * ) -- error: Unexpected token: ')'
def a2 = 1 +
def a3 = [1, 2 -- error: expected an expression
def a4 = x -- error: expected `,` or `]`
def a5 = let x = 1 y
  ) -- error: Unexpected token: ')'
def a6 = let x = 1 in
def a61 = x -- error: expected an expression
def a7 = "abc -- error: this string does not end
def b1 = 'ab' -- error: expected
def b2 = "\q" -- error: there is no such escape
def b3 = 999999999999999999999999999999999999999999 -- error: more than 128 bits
def b4 = '\1114112' -- error: not the code of a character
def b5 = x $ y -- error: `$` means nothing
def b6 = a[0] [1] -- error: an array cannot be given to an element
def b7 = 0..n -- error: this range has no end
def b8 = 0..<n..<m -- error: a range cannot be the operand of a range
def b9 = f (x).(y) -- error: only a module can be opened
def c1 = x +-- y
def (x, y) = (1, 2) -- error: a pattern cannot be bound at the top
def x ! y = x -- error: cannot be used as infix operator
def (m.+) x y = x -- error: a qualified name
def c2 = f if x then y else z -- error: Unexpected token: 'if'
def c3 = f \x -> x y \z -> z \w -> w
def c4 = (\x -> x) \y -> y
def c5 = f (\x -> x) \ -> y -- error: expected a parameter
def c6 = (x y,) -- error: another element of the tuple
def c7 = then[1] -- error: expected an expression
def c8 = x =- y
def c9 = if x then y
type t -- error: expected `else`
type t1 = x -- error: expected `=`
type u = (x: t)
type u1 = x -- error: expected `->`
type v = ?n.t -- error: expected `[`
type w = a ->*[n]b -- error: Unexpected token: '->*'
module m = { def x = 1 def y = ) def z = 2 } -- error: expected an expression
module n : {val x i32} = {} -- error: expected `:`
import foo -- error: the name of a file
local 3 -- error: expected a declaration
entry (x) = 1 -- error: expected an operator
def d1 = match x
  y in -- error: expected `case`
def d2 = loop x = 1 do x -- error: expected `for` or `while`
def d3 = \x #c y -> x
def d4 = let f = 1 def z = 2 -- error: has no `in`
def d5 = {x, 0} -- error: expected `=`
def d6 = x with = 3 -- error: a field, an index or `=`
def d7 = a[1:2:] -- error: expected an expression
def d8 = (x : t +) -- error: Unexpected token: '+'
def d9 = a[x : y : z : w] -- error: Unexpected token: ':'
