-- A function in a field of a record parameter is resolved at compile time.
-- ==
-- input { [3, 1, 2] }
-- output { 6 }
type^ monoid = {zero: i32, add: i32 -> i32 -> i32}

def fold (m: monoid) (xs: []i32) = reduce m.add m.zero xs

def main (xs: []i32) = fold {zero = 0, add = (+)} xs
