-- Files must not import each other cyclically.
-- ==
-- error: E0131.*:4:8
import "cycle"
