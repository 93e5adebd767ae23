-- The order of constructors in a type means nothing.
-- ==
-- input { } output { true }
type one = #red | #green | #blue
type other = #blue | #red | #green

def pass (x: one): other = x

def main = pass #green == #green
