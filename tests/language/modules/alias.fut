-- A module may be given another name.
-- ==
-- input { 7u8 }
-- output { 14u8 }
module byte = u8

def main (x: byte.t) = x byte.+ x
