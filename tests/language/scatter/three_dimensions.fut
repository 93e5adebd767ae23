-- `scatter_3d` takes triples of indices.
-- ==
-- input { [[[0, 0]], [[0, 0]]] }
-- output { [[[0, 5]], [[6, 0]]] }
def main (dest: *[2][1][2]i32) = scatter_3d dest [(0, 0, 1), (1, 0, 0), (1, 1, 0)] [5, 6, 7]
