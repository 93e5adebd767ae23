-- Only a field that exists can be updated.
-- ==
-- error: E0205.*:4:34
def main (r: {a: i32}) = (r with b = 1).a
