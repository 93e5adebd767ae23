-- Only a field that exists can be projected.
-- ==
-- error: E0205.*:4:45
def main (r: {first: i32, second: i32}) = r.third
