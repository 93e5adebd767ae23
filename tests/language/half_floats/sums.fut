-- Arrays of half floats are summed like other arrays.
-- ==
-- input { [1.0f16, 2.0f16, 0.5f16] }
-- output { 3.5f16 2.0f16 }
-- input { [0.25f16] }
-- output { 0.25f16 0.25f16 }
def main (xs: []f16) = (f16.sum xs, f16.maximum xs)
