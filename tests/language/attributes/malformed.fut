-- The brackets of an attribute contain a name, a number, or a name with further attributes in parentheses.
-- ==
-- error: E0110.*:4:23
def main (x: i32) = #[+] x
