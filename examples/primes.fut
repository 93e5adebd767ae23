-- The sieve of Eratosthenes, all multiples of a prime at once.
-- ==
-- entry: main
-- input { 30i64 }
-- output { [2i64, 3i64, 5i64, 7i64, 11i64, 13i64, 17i64, 19i64, 23i64, 29i64] }
-- input { 0i64 }
-- output { empty([0]i64) }
-- input { 3i64 }
-- output { [2i64] }
-- input { 2000i64 }
-- auto output
-- "large" notest input { 10000000i64 }

-- The primes below n: strike out the multiples of each prime up to the root of n.
entry main (n: i64) : []i64 =
  let start = tabulate n (\i -> i >= 2)
  let (sieve, _) =
    loop (sieve, p) = (start, 2) while p * p < n do
      let multiples = if sieve[p] then (n - 1 - p * p) / p + 1 else 0
      let struck = scatter sieve (map (\i -> p * p + i * p) (iota multiples)) (replicate multiples false)
      in (struck, p + 1)
  in filter (\i -> sieve[i]) (iota n)
