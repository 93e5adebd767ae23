-- `(.[i])` is the function that returns the element at index `i`.
-- ==
-- input { [[1, 2], [3, 4]] }
-- output { [2, 4] [1, 3] }
def main (xss: [][]i32) = (map (.[1]) xss, map (.[0]) xss)
