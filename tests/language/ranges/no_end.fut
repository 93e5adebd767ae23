-- A range must have an end; `..` alone introduces its second element.
-- ==
-- error: E0112.*:4:22
def main (n: i64) = n..2
