-- The type of a constructor comes from where it stands; somewhere it must be written.
-- ==
-- error: E0207.*:4:12
def main = #red
