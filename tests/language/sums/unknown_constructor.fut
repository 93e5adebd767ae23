-- A constructor must belong to the sum type that is required.
-- ==
-- error: E0201.*:6:21
type colour = #red | #green

def main : colour = #blue
