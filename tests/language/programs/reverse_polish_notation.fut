-- A complete program: a calculator for expressions in reverse Polish notation, with a sum type, a loop and a stack.
-- ==
-- input { 3 4 }
-- output { 35 }
-- input { 0 0 }
-- output { 0 }
type token = #number i32 | #plus | #times

def evaluate [n] (tokens: [n]token) : i32 =
  let (_, stack) =
    loop (top, stack) = (0, replicate n 0) for t in tokens do
      match t
      case #number x -> (top + 1, stack with [top] = x)
      case #plus ->
        let sum = stack[top - 2] + stack[top - 1]
        in (top - 1, stack with [top - 2] = sum)
      case #times ->
        let product = stack[top - 2] * stack[top - 1]
        in (top - 1, stack with [top - 2] = product)
  in stack[0]

def main (x: i32) (y: i32) =
  -- (x + y) * (1 + y)
  evaluate [#number x, #number y, #plus, #number 1, #number y, #plus, #times]
