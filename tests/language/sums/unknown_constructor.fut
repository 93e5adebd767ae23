-- A constructor must be one of its type.
-- ==
-- error: E0201.*:6:21
type colour = #red | #green

def main : colour = #blue
