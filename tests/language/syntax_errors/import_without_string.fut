-- The path of an import is a string.
-- ==
-- error: E0110.*:4:8
import files
