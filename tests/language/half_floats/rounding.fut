-- Not all integers beyond 2048 are representable as half floats: a conversion rounds ties to even.
-- ==
-- input { 2049 }
-- output { 2048.0f16 }
-- input { 2051 }
-- output { 2052.0f16 }
-- input { 2047 }
-- output { 2047.0f16 }
def main (x: i32) = f16.i32 x
