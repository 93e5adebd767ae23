-- A type cannot contain itself.
-- ==
-- error: E0201.*:4:14
def self f = f f
