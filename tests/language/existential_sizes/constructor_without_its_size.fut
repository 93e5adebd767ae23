-- Even a constructor without the array has the array's size in its type: here, one that only another function knows.
-- ==
-- error: E0305.*:8:67
type maybe 'a = #none | #some a

def either '~a (c: bool) (f: () -> a) (g: () -> a) : a = if c then f () else g ()

def main (c: bool) (xs: []i32) : maybe ([]i32) = either c (\() -> #none) (\() -> #some (filter (> 0) xs))
