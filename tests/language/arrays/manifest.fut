-- `manifest` returns its argument with the elements stored in memory in their order.
-- ==
-- input { [[1, 2], [3, 4]] }
-- output { [[1, 3], [2, 4]] }
-- input { [[5]] }
-- output { [[5]] }
def main (xss: [][]i32) = manifest (transpose xss)
