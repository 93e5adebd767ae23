-- `head` of an empty array is an error, because there is no first element.
-- ==
-- input { empty([0]i32) }
-- error: Index \[0\] out of bounds for array of shape \[0\]
def main (xs: []i32) = head xs
