-- A type has the constructors that it lists, and no others.
-- ==
-- error: E0201.*:6:20
type colour = #red | #green

def main: colour = #blue
