-- A string ends on the line where it starts.
-- ==
-- error: E0102.*:4:12
def main = "never closed
