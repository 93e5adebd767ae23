-- A constructor may belong to many types: from where it stands its type must be known.
-- ==
-- error: E0207.*:4:16
def main = let x = #yes in 3
