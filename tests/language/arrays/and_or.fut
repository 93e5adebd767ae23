-- `and` returns whether all elements of an array are true, and `or` whether any element is true.
-- ==
-- input { [true, false] }
-- output { false true }
-- input { [true] }
-- output { true true }
-- input { empty([0]bool) }
-- output { true false }
def main (bs: []bool) = (and bs, or bs)
