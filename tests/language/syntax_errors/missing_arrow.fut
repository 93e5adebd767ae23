-- The pattern of a case must be followed by an arrow.
-- ==
-- error: E0110.*:4:36
def main (x: i32) = match x case 0 1 case _ -> 2
