"""Makes the notebook `tour.ipynb`: writes its cells, executes them, and saves their outputs.

    python examples/python/tour.py

It needs IPython's kernel, nbformat and nbclient, and for the last chapter pyarrow. A test executes the cells again and compares the texts.
"""

import re
from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).with_name("tour.ipynb")

TEXT, CODE, FAILS = "text", "code", "fails"

CELLS = [
    (TEXT, r"""
# A tour of Warpwise in Python

Programs are written in a small language of arrays, compiled for every core and every vector lane, and called like functions of Python.
`docs/python.md` is the guide; this notebook shows four pieces of work: pictures, clusters, prices, and a file larger than one likes
to hold in memory.
"""),
    (CODE, r"""
import numpy as np

import warpwise

%load_ext warpwise
"""),
    (TEXT, r"""
## Pictures

The cell below is a program. Its entry points become functions, and an array of type `[h][w][3]u8` that one of them gives is shown as a
picture.
"""),
    (CODE, r"""
%%warpwise --name pictures
-- | How many steps of z * z + c stay near the origin, for points c around the Mandelbrot set.
def steps (limit: i32) (cx: f32) (cy: f32) : i32 =
  let (_, _, n) =
    loop (x, y, n) = (0, 0, 0) while x * x + y * y < 4 && n < limit do
      (x * x - y * y + cx, 2 * x * y + cy, n + 1)
  in n

-- | The Mandelbrot set in colours.
entry mandelbrot (h: i64) (w: i64) (limit: i32) : [h][w][3]u8 =
  let colour n =
    if n == limit then [0, 0, 40]
    else let t = f32.i32 n / f32.i32 limit
         in [u8.f32 (255 * f32.sqrt t), u8.f32 (255 * t), u8.f32 (120 + 135 * t)]
  let point i j = (3 * f32.i64 j / f32.i64 w - 2.2, 2 * f32.i64 i / f32.i64 h - 1)
  in tabulate_2d h w (\i j -> let (x, y) = point i j in colour (steps limit x y))

def brightness (p: [3]u8) : f32 = 0.299 * f32.u8 p[0] + 0.587 * f32.u8 p[1] + 0.114 * f32.u8 p[2]

-- | The edges of a picture, by Sobel's operator.
entry edges [h][w] (picture: [h][w][3]u8) : [h][w]u8 =
  let grey = map (map brightness) picture
  let at i j = grey[i64.max 0 (i64.min (h - 1) i), i64.max 0 (i64.min (w - 1) j)]
  let slope i j =
    let x = at (i - 1) (j + 1) + 2 * at i (j + 1) + at (i + 1) (j + 1) - at (i - 1) (j - 1) - 2 * at i (j - 1) - at (i + 1) (j - 1)
    let y = at (i + 1) (j - 1) + 2 * at (i + 1) j + at (i + 1) (j + 1) - at (i - 1) (j - 1) - 2 * at (i - 1) j - at (i - 1) (j + 1)
    in f32.sqrt (x * x + y * y)
  in tabulate_2d h w (\i j -> u8.f32 (f32.min 255 (slope i j)))
"""),
    (CODE, r"""
picture = mandelbrot(240, 360, 60)
picture
"""),
    (TEXT, r"""
A matrix of bytes may be anything, so it is shown as a picture only when `warpwise.show` asks for it. The picture went from one entry
point to the other where it lay: nothing was copied.
"""),
    (CODE, r"""
before = warpwise.copied_bytes()
outlines = edges(picture)
print("bytes copied:", warpwise.copied_bytes() - before)
warpwise.show(outlines)
"""),
    (TEXT, r"""
Programs say what they take, and whatever does not fit is an error that says where.
"""),
    (CODE, r"""
pictures
"""),
    (CODE, r"""
try:
    edges(picture.astype("float32"))
except TypeError as error:
    print(error)
"""),
    (TEXT, r"""
So does a program that is wrong.
"""),
    (FAILS, r"""
%%warpwise
entry brighter [h][w] (picture: [h][w][3]u8) : [h][w][3]u8 =
  map (map (map (\x -> x * factor))) picture
"""),
    (TEXT, r"""
## Clusters

k-means in the plane: centres move to the mean of the points that are nearest to them. Points are records here; a record of arrays is
taken for an array of records.
"""),
    (CODE, r"""
%%warpwise --name clusters
type point = {x: f64, y: f64}

def distance2 (a: point) (b: point) : f64 = (a.x - b.x) ** 2 + (a.y - b.y) ** 2

-- | The number of the nearest centre.
def nearest [k] (centres: [k]point) (p: point) : i64 =
  let closer (i, d) (j, e) = if d < e || (d == e && i < j) then (i, d) else (j, e)
  in (reduce closer (k, f64.inf) (map2 (\i c -> (i, distance2 p c)) (iota k) centres)).0

def recentred [n][k] (points: [n]point) (centres: [k]point) : [k]point =
  let add (x, y, n) (x', y', n') = (x + x', y + y', n + n')
  let sums = hist add (0, 0, 0i64) k (map (nearest centres) points) (map (\p -> (p.x, p.y, 1)) points)
  in map2 (\(x, y, n) c -> if n == 0 then c else {x = x / f64.i64 n, y = y / f64.i64 n}) sums centres

-- | The centres of k clusters after some moves. The first k points are where they start.
entry kmeans [n] (k: i64) (moves: i32) (points: [n]point) : []point =
  loop centres = take k points for _i < moves do recentred points centres

-- | To which cluster each point belongs.
entry assigned [n][k] (centres: [k]point) (points: [n]point) : [n]i64 = map (nearest centres) points
"""),
    (CODE, r"""
random = np.random.default_rng(7)
middles = np.array([[0, 0], [6, 1], [3, 5]])
cloud = (middles[:, None, :] + random.normal(size=(3, 20_000, 2))).reshape(-1, 2)
random.shuffle(cloud)
points = {"x": cloud[:, 0].copy(), "y": cloud[:, 1].copy()}

centres = kmeans(3, 30, points)
order = np.argsort(centres.fields["x"])
for at in order:
    print(f"centre at ({abs(centres[at].x):.1f}, {abs(centres[at].y):.1f})")
sizes = np.bincount(assigned(centres, points))[order]
print("sizes about", np.round(sizes, -3))
"""),
    (TEXT, r"""
## Prices

An option's price by the formula of Black and Scholes, and by simulation. The program takes an array of records, which is what a
structured array of NumPy is.
"""),
    (CODE, r"""
%%warpwise --name prices
type option = {spot: f64, strike: f64, years: f64, volatility: f64}

-- The cumulative normal distribution (Abramowitz and Stegun, 26.2.17).
def normal (x: f64) : f64 =
  let k = 1 / (1 + 0.2316419 * f64.abs x)
  let poly = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
  let tail = f64.exp (-x * x / 2) / f64.sqrt (2 * f64.pi) * poly
  in if x < 0 then tail else 1 - tail

-- | The prices of calls by the formula of Black and Scholes.
entry black_scholes [n] (rate: f64) (options: [n]option) : [n]f64 =
  let price (o: option) =
    let spread = o.volatility * f64.sqrt o.years
    let d1 = (f64.log (o.spot / o.strike) + (rate + o.volatility ** 2 / 2) * o.years) / spread
    in o.spot * normal d1 - o.strike * f64.exp (-rate * o.years) * normal (d1 - spread)
  in map price options

-- | The price of one call as the mean over where the market may go; `moves` are normally distributed.
entry simulated [n] (rate: f64) (o: option) (moves: [n]f64) : f64 =
  let drift = (rate - o.volatility ** 2 / 2) * o.years
  let payoff z = f64.max 0 (o.spot * f64.exp (drift + o.volatility * f64.sqrt o.years * z) - o.strike)
  in f64.exp (-rate * o.years) * f64.sum (map payoff moves) / f64.i64 n
"""),
    (CODE, r"""
options = np.zeros(3, dtype=[("spot", "f8"), ("strike", "f8"), ("years", "f8"), ("volatility", "f8")])
options["spot"], options["years"], options["volatility"] = 100, 1, 0.2
options["strike"] = [90, 100, 110]

moves = random.normal(size=1_000_000)
exact = black_scholes(0.05, options)
estimates = [simulated(0.05, option(spot=100, strike=strike, years=1, volatility=0.2), moves) for strike in options["strike"]]
print("by the formula:", exact.round(2))
print("by simulation: ", np.round(estimates, 1))
"""),
    (TEXT, r"""
`option` is the program's record, a named tuple. Its fields are in alphabetical order, as everywhere in the language, so they are named
here. Where the time of calls went is a table that pandas takes.
"""),
    (CODE, r"""
prices.start_profile()
black_scholes(0.05, options)
sorted(prices.profile()[0])
"""),
    (TEXT, r"""
## A file larger than memory

A Parquet file is read in batches. `fold` adds its blocks up by the entry points `init`, `step` and `merge`, while the next ones are read;
each column is an argument. Blocks do not depend on the file's batches, nor the result on the number of threads.
"""),
    (CODE, r"""
%%warpwise --name trips
type sums = {trips: i64, seconds: f64, longest: f64}

-- | No trips at all.
entry init : sums = {trips = 0, seconds = 0, longest = 0}

-- | What was found so far, with a block of trips more.
entry step [n] (distance: [n]f64) (speed: [n]f64) (s: sums) : sums =
  {trips = s.trips + n,
   seconds = s.seconds + f64.sum (map2 (/) distance speed),
   longest = f64.max s.longest (f64.maximum distance)}

-- | What was found in two parts of the file.
entry merge (a: sums) (b: sums) : sums =
  {trips = a.trips + b.trips, seconds = a.seconds + b.seconds, longest = f64.max a.longest b.longest}

-- | Seconds that each trip takes.
entry durations [n] (distance: [n]f64) (speed: [n]f64) : [n]f64 = map2 (/) distance speed
"""),
    (CODE, r"""
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

folder = tempfile.TemporaryDirectory()
file = Path(folder.name) / "trips.parquet"
with pq.ParquetWriter(file, pa.schema([("distance", pa.float64()), ("speed", pa.float64())])) as writer:
    for part in range(10):
        distance = random.uniform(100, 10_000, 100_000)
        writer.write_table(pa.table({"distance": distance, "speed": np.full(100_000, 10.0)}))

total = trips.fold(file, column=["distance", "speed"])
print(f"{total.trips} trips, {total.seconds / total.trips:.0f} seconds on average, at most {total.longest / 1000:.1f} km")
"""),
    (TEXT, r"""
`stream` gives the results of an entry point block by block, as an iterator, or writes them into a file.
"""),
    (CODE, r"""
trips.stream("durations", file, column=["distance", "speed"], out=Path(folder.name) / "durations.npy")
durations = np.load(Path(folder.name) / "durations.npy", mmap_mode="r")
print(f"{len(durations)} durations, the first of them {durations[:3].round(1)}")
del durations
folder.cleanup()
"""),
]  # fmt: skip


def unexecuted():
    """Returns the notebook without results."""
    notebook = nbformat.v4.new_notebook(metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}})
    for number, (kind, text) in enumerate(CELLS):
        make = nbformat.v4.new_markdown_cell if kind == TEXT else nbformat.v4.new_code_cell
        cell = make(text.strip("\n"), id=f"cell-{number}")
        if kind == FAILS:
            cell.metadata["tags"] = ["raises-exception"]
        notebook.cells.append(cell)
    return notebook


def executed():
    """Returns the notebook with results; raises the exception of a failing cell."""
    notebook = unexecuted()
    NotebookClient(notebook, timeout=240, kernel_name="python3", record_timing=False, resources={"metadata": {"path": str(NOTEBOOK.parent)}}).execute()
    notebook.metadata.pop("language_info", None)
    return notebook


def texts(notebook):
    """Returns the text outputs of the cells, which must be the same on every machine, and the kinds of their pictures."""
    shown = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            text = output.get("text") or output.get("data", {}).get("text/plain") or "\n".join(output.get("traceback", []))
            pictures = [kind for kind in output.get("data", {}) if kind.startswith("image/")]
            shown.append((cell.id, re.sub(r"\x1b\[[0-9;]*m", "", text), pictures))
    return shown


if __name__ == "__main__":
    nbformat.write(executed(), NOTEBOOK)
    print(f"{NOTEBOOK} is written")
