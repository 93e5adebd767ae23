-- Two sums are one type only if they have the same constructors, which carry the same.
-- ==
-- error: E0201.*:4:47
def main (x: #a i32 | #b): #a i32 | #b | #c = x
