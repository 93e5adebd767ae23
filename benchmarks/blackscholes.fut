-- Black-Scholes: the values of European call and put options.
-- ==
-- entry: main
-- input { [20.0f32, 25.0f32, 5.5f32, 30.0f32, 12.25f32] [20.0f32, 15.0f32, 80.0f32, 29.0f32, 12.0f32]
--   [1.0f32, 0.25f32, 10.0f32, 2.5f32, 5.0f32] }
-- output { [2.564316f32, 10.07503f32, 0.0231357f32, 6.687724f32, 3.77809f32] [2.16829f32, 0.0002152195f32,
--   60.0216f32, 4.273377f32, 2.386138f32] }
-- input { empty([0]f32) empty([0]f32) empty([0]f32) }
-- output { empty([0]f32) empty([0]f32) }
-- random input { [10007]f32 [10007]f32 [10007]f32 }
-- auto output
-- "large" notest random input { [10000000]f32 [10000000]f32 [10000000]f32 }

def rate : f32 = 0.02
def volatility : f32 = 0.3

-- Cumulative normal distribution (Abramowitz and Stegun 26.2.17).
def normal (d: f32) : f32 =
  let k = 1 / (1 + 0.2316419 * f32.abs d)
  let p =
    k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
  let tail = 0.3989422804 * f32.exp (-0.5 * d * d) * p
  in if d > 0 then 1 - tail else tail

def option (price: f32) (strike: f32) (years: f32) : (f32, f32) =
  let deviation = volatility * f32.sqrt years
  let d1 =
    (f32.log (price / strike) + (rate + 0.5 * volatility * volatility) * years) / deviation
  let n1 = normal d1
  let n2 = normal (d1 - deviation)
  let discounted = strike * f32.exp (-rate * years)
  in (price * n1 - discounted * n2, discounted * (1 - n2) - price * (1 - n1))

entry main [n] (prices: [n]f32) (strikes: [n]f32) (years: [n]f32) : ([n]f32, [n]f32) =
  unzip (map3 option prices strikes years)
