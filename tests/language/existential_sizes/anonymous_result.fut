-- `[]` in a result type denotes an existential size without a name.
-- ==
-- input { [1, 2, 3] }
-- output { [2] }
def evens (xs: []i32) : []i32 = filter (\x -> x % 2 == 0) xs

def main (xs: []i32) = evens xs
