-- Types have a name space of their own; a name must be there, too.
-- ==
-- error: E0203.*:4:14
def main (x: integer) = x
