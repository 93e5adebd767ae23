-- The path of an import must be a string literal.
-- ==
-- error: E0110.*:4:8
import files
