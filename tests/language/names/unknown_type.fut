-- Types have a namespace of their own, in which the name of a type must be in scope.
-- ==
-- error: E0203.*:4:14
def main (x: integer) = x
