-- Consuming a value of a sum type also consumes its payload, which may then be overwritten.
-- ==
-- input { true } output { [7, 2] }
-- input { false } output { [0, 0] }
type option 'a = #none | #some a

def set (x: *option ([2]i32)): *[2]i32 =
  match x
  case #some xs -> xs with [0] = 7
  case #none -> [0, 0]

def main (c: bool) = set (if c then #some [1, 2] else #none)
