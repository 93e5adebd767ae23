-- Breadth-first search: how many edges every vertex of an undirected graph is away from a root, -1 if it cannot be reached.
-- The graph is given by vertices: where the neighbours of each begin, with the end behind the last, and the neighbours.
--
-- A small frontier is expanded; from a large one on, every vertex that is not reached yet looks for a neighbour
-- in the frontier, which most find soon.
-- ==
-- entry: main
-- input { [0, 2, 4, 6, 8, 8] [1, 2, 0, 3, 0, 3, 1, 2] 0i32 }
-- output { [0, 1, 1, 2, -1] }
-- input { [0, 2, 4, 6, 8, 8] [1, 2, 0, 3, 0, 3, 1, 2] 4i32 }
-- output { [-1, -1, -1, -1, 0] }
-- input { [0, 0] empty([0]i32) 0i32 }
-- output { [0] }
-- input { [0] empty([0]i32) 0i32 }
-- error: out of bounds

-- ==
-- entry: path
-- input { 100i64 }
-- output { 99i32 4950i64 }
-- input { 1i64 }
-- output { 0i32 0i64 }

-- The vertices that are not reached yet and have a neighbour at this depth get the next.
def pull [n] [m] (starts: []i32) (edges: [m]i32) (levels: [n]i32) (depth: i32) : (*[n]i32, i64) =
  let pulled v level =
    if level >= 0 then level
    else
      let (_, near) =
        loop (j, near) = (starts[v], false) while j < starts[v + 1] && !near do
          (j + 1, levels[edges[j]] == depth)
      in if near then depth + 1 else -1
  let next = map2 pulled (iota n) levels
  in (next, i64.sum (map (\level -> i64.bool (level == depth + 1)) next))

-- All neighbours of the vertices at this depth that are not reached yet get the next.
def push [n] [m] (starts: []i32) (edges: [m]i32) (levels: *[n]i32) (depth: i32) : (*[n]i32, i64) =
  let frontier = filter (\v -> levels[v] == depth) (iota n)
  let (_, _, _, reached) = flatmap' (\v -> edges[i64.i32 starts[v]:i64.i32 starts[v + 1]]) frontier
  let new = filter (\v -> levels[v] < 0) reached
  in (scatter levels (map i64.i32 new) (map (const (depth + 1)) new), length new)

def search [r] [m] (starts: [r]i32) (edges: [m]i32) (root: i32) : []i32 =
  let n = r - 1
  let (levels, _, _) =
    loop (levels, size, depth) = (replicate n (-1) with [root] = 0, 1, 0) while size > 0 do
      let (next, size) =
        if size < n / 32 then push starts edges levels depth else pull starts edges levels depth
      in (next, size, depth + 1)
  in levels

entry main [r] [m] (starts: [r]i32) (edges: [m]i32) (root: i32) : []i32 = search starts edges root

-- A graph with as many levels as vertices: the greatest level, and the sum of all.
entry path (n: i64) : (i32, i64) =
  let starts = tabulate (n + 1) (\v -> if v == 0 then 0 else if v == n then i32.i64 (2 * n - 2) else i32.i64 (2 * v - 1))
  let edges = tabulate (2 * n - 2) (\e -> if e % 2 == 0 then i32.i64 (e / 2 + 1) else i32.i64 (e / 2))
  let levels = search starts edges 0
  in (i32.maximum levels, i64.sum (map i64.i32 levels))
