-- For the programs of this chapter: two powers.

def square (x: i32) = x * x
def cube (x: i32) = x * square x

local def not_offered (x: i32) = x
