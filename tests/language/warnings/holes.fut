-- `???` stands for an expression that is not yet written; the compiler reports its type.
-- ==
-- warning: W0001.*:8:48
-- input { 3 true }
-- output { 3 }
-- input { 3 false }
-- error: .
def main (x: i32) (b: bool) = if b then x else ???
