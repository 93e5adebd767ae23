-- What a constructor carries has the types that are listed.
-- ==
-- error: E0201.*:6:31
type option = #some i32 | #none

def main (b: bool) : option = #some b
