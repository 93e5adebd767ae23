-- A file that is imported must be there.
-- ==
-- error: E0130.*:4:8
import "files/nowhere"
