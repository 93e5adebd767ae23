-- A hole does not hide errors around it.
-- ==
-- error: E0201.*:4:29
def main (x: i32) : bool = (x + ???)
