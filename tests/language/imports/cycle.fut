-- Files do not import each other in a circle.
-- ==
-- error: E0131.*:4:8
import "cycle"
