-- A string must end on the line where it begins.
-- ==
-- error: E0102.*:4:12
def main = "never closed
