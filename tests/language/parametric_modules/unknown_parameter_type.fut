-- The module type of a parameter must be in scope.
-- ==
-- error: E0204.*:4:20
module counter (n: numbers) = { def two = n.one }

def main = 1i32
