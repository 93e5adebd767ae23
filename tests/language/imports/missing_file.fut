-- An imported file must exist.
-- ==
-- error: E0130.*:4:8
import "files/nowhere"
