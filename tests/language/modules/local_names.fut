-- A local declaration may be followed by another one of the same name, which shadows it from there on.
-- ==
-- input { 2 }
-- output { 31 }
local def start = 1i32
def first (x: i32) = x * 10 + start

def start = 10i32
def main (x: i32) = first x + start
