-- A second pair of brackets after a space would be an argument: put all indices in one pair, or omit the space.
-- ==
-- error: E0113.*:4:27
def main (xss: [][]i32) = xss[0] [1]
