-- The attributes `#[inline]` and `#[noinline]` of a definition direct the compiler and do not change the meaning.
-- ==
-- input { [1, 2] }
-- output { [4, 5] }
-- input { empty([0]i32) }
-- output { empty([0]i32) }
#[inline]
def one_more (x: i32) = x + 1

#[noinline]
def two_more (x: i32) = x + 2

def main (xs: []i32) = map (\x -> two_more (one_more x)) xs
