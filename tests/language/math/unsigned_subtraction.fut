-- Unsigned integers wrap around below zero.
-- ==
-- input { 3u8 5u8 }
-- output { 254u8 }
-- input { 5u8 3u8 }
-- output { 2u8 }
def main (x: u8) (y: u8) = x - y
