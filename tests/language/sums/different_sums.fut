-- Two sum types are equal only if they have the same constructors with the same payloads.
-- ==
-- error: E0201.*:4:47
def main (x: #a i32 | #b): #a i32 | #b | #c = x
