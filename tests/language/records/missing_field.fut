-- A value of a record type must have exactly the fields of the type.
-- ==
-- error: E0201.*:6:29
type point = {x: f64, y: f64}

def main (x: f64) : point = {x}
