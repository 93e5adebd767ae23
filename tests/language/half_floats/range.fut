-- The largest finite half float is 65504; values beyond it become infinite.
-- ==
-- input { 65504.0f16 }
-- output { f16.inf 65504.0f16 }
-- input { 1.0f16 }
-- output { 2.0f16 65504.0f16 }
def main (x: f16) = (x + x, f16.max x 65504)
