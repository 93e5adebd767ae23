-- Arrays of any element type and shape may be arguments and results of an entry point.
-- ==
-- input { [[true, false]] [1.5f16] }
-- output { [[false, true]] [3.0f16] }
-- input { empty([0][2]bool) empty([0]f16) }
-- output { empty([0][2]bool) empty([0]f16) }
def main (bss: [][]bool) (xs: []f16) = (map (map not) bss, map (* 2) xs)
