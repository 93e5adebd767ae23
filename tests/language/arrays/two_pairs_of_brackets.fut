-- A second pair of brackets behind a space would be an argument: write all indices in one pair, or leave the space out.
-- ==
-- error: E0113.*:4:27
def main (xss: [][]i32) = xss[0] [1]
