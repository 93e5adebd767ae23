-- | Arrays of tuples and tuples of arrays. They are the same data, so none of this costs anything.

local def each 'a 'b [n] (f: a -> b) (xs: [n]a) : *[n]b = intrinsics.map f xs

-- | An array of pairs.
def zip 'a 'b [n] (as: [n]a) (bs: [n]b) : *[n](a, b) = intrinsics.zip as bs

-- | As `zip`.
def zip2 'a 'b [n] (as: [n]a) (bs: [n]b) : *[n](a, b) = zip as bs

-- | An array of triples.
def zip3 'a 'b 'c [n] (as: [n]a) (bs: [n]b) (cs: [n]c) : *[n](a, b, c) =
  each (\((a, b), c) -> (a, b, c)) (zip (zip as bs) cs)

-- | An array of quadruples.
def zip4 'a 'b 'c 'd [n] (as: [n]a) (bs: [n]b) (cs: [n]c) (ds: [n]d) : *[n](a, b, c, d) =
  each (\((a, b), (c, d)) -> (a, b, c, d)) (zip (zip as bs) (zip cs ds))

-- | An array of quintuples.
def zip5 'a 'b 'c 'd 'e [n] (as: [n]a) (bs: [n]b) (cs: [n]c) (ds: [n]d) (es: [n]e) : *[n](a, b, c, d, e) =
  each (\((a, b), ((c, d), e)) -> (a, b, c, d, e)) (zip (zip as bs) (zip (zip cs ds) es))

-- | The components of an array of pairs.
def unzip 'a 'b [n] (xs: [n](a, b)) : ([n]a, [n]b) = intrinsics.unzip xs

-- | As `unzip`.
def unzip2 'a 'b [n] (xs: [n](a, b)) : ([n]a, [n]b) = unzip xs

-- | The components of an array of triples.
def unzip3 'a 'b 'c [n] (xs: [n](a, b, c)) : ([n]a, [n]b, [n]c) =
  (each (.0) xs, each (.1) xs, each (.2) xs)

-- | The components of an array of quadruples.
def unzip4 'a 'b 'c 'd [n] (xs: [n](a, b, c, d)) : ([n]a, [n]b, [n]c, [n]d) =
  (each (.0) xs, each (.1) xs, each (.2) xs, each (.3) xs)

-- | The components of an array of quintuples.
def unzip5 'a 'b 'c 'd 'e [n] (xs: [n](a, b, c, d, e)) : ([n]a, [n]b, [n]c, [n]d, [n]e) =
  (each (.0) xs, each (.1) xs, each (.2) xs, each (.3) xs, each (.4) xs)
