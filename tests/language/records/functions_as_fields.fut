-- Fields may be functions, and are called like any other function.
-- ==
-- input { 3 }
-- output { 10 }
type^ shape = {area: i32 -> i32, sides: i32}

def square : shape = {area = \x -> x * x + 1, sides = 4}

def main (x: i32) = square.area x
