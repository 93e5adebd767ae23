-- An error is reported once: errors that follow from it are not reported.
-- ==
-- error: E0202.*:4:22
def wrong (x: i32) = undefined x

def uses_wrong (x: i32) = wrong x + wrong (x + 1)

def main (x: i32) = uses_wrong x
