-- The brackets of an attribute hold a name, a number, or a name with more attributes in parentheses.
-- ==
-- error: E0110.*:4:23
def main (x: i32) = #[+] x
