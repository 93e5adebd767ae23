-- A constructor may belong to many sum types, so the context must determine its type.
-- ==
-- error: E0207.*:4:16
def main = let x = #yes in 3
