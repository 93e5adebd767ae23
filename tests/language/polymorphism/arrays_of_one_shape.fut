-- Arrays of different sizes have different types, so one type parameter cannot stand for both.
-- ==
-- error: E0301.*:6:24
def pair 'a (x: a) (y: a) = (x, y)

def main = pair [1, 2] [3, 4, 5]
