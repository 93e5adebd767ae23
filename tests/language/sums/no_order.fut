-- Values of a sum type are not ordered.
-- ==
-- error: E0201.*:6:36
type colour = #red | #green

def main (a: colour) (b: colour) = a < b
