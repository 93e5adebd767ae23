-- `#[sequential]` forces an array operation to process one element after another.
-- ==
-- input { [1, 2, 3] }
-- output { 6 [2, 3, 4] }
-- input { empty([0]i32) }
-- output { 0 empty([0]i32) }
def main (xs: []i32) = (#[sequential] reduce (+) 0 xs, #[sequential] map (+ 1) xs)
