-- `0x` starts an integer in base sixteen; the letters may be large or small.
-- ==
-- input { }
-- output { 255 43981u16 -1i8 }
def main = (0xff, 0xAbCdu16, 0xffi8)
