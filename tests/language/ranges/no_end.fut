-- A range has an end; two points alone lead to its second element.
-- ==
-- error: E0112.*:4:22
def main (n: i64) = n..2
