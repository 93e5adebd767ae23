-- `//` and `%%` are for integers only.
-- ==
-- error: E0201.*:4:21
def main (x: f32) = x // 2
