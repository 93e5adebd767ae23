-- The only constructor of a type may be the pattern of a parameter.
-- ==
-- input { 3 }
-- output { 4 }
type wrapped = #wrapped i32

def value ((#wrapped x): wrapped) = x + 1

def main (x: i32) = value (#wrapped x)
