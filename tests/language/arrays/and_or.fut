-- `and` says whether all of an array is true, `or` whether any is.
-- ==
-- input { [true, false] }
-- output { false true }
-- input { [true] }
-- output { true true }
-- input { empty([0]bool) }
-- output { true false }
def main (bs: []bool) = (and bs, or bs)
