-- `0x` begins a hexadecimal integer literal, whose letters may be in upper or lower case.
-- ==
-- input { }
-- output { 255 43981u16 -1i8 }
def main = (0xff, 0xAbCdu16, 0xffi8)
