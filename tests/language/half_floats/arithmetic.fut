-- `f16` is the type of 16-bit floats; the result of each operation is rounded to it.
-- ==
-- input { 1.0f16 0.0004f16 }
-- output { 1.0f16 0.9995f16 2.5f16 }
-- input { 2.0f16 0.5f16 }
-- output { 2.5f16 1.5f16 4.0f16 }
def main (x: f16) (y: f16) = (x + y, x - y, if y < 0.1 then 2.5 else x / y)
