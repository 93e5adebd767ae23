-- Heart cells: a cell's voltage, currents, ion concentrations and calcium binding are 91 ordinary differential
-- equations, solved by Fehlberg's embedded method of orders 7 and 8, for many cells at once, as in Rodinia's
-- myocyte. Electrophysiology after Shannon, Wang, Puglisi, Weber and Bers, Biophysical Journal 87 (2004);
-- calmodulin after Saucerman and Bers, Biophysical Journal 95 (2008). Milliseconds, millivolts, millimoles.
-- ==
-- entry: rest
-- input { 1i64 1i32 }
-- auto output
-- input { 5i64 2i32 }
-- auto output
-- input { 2i64 0i32 }
-- auto output
-- input { 0i64 3i32 }
-- auto output
-- "65536" notest input { 65536i64 3i32 }

type state = [91]f32

-- Charge over heat, and the cell's volumes and membrane.
def faraday : f32 = 96485
def per_volt : f32 = faraday / 8314 / 310
def capacitance : f32 = 1.3810e-10
def volume_cell : f32 = 3.1416 * (10.25 * 10.25) * 100 * 1e-15
def volume_myo : f32 = 0.65 * volume_cell
def volume_sr : f32 = 0.035 * volume_cell
def volume_sl : f32 = 0.02 * volume_cell
def volume_junction : f32 = 0.0539 * 0.01 * volume_cell

-- Concentrations outside.
def k_out : f32 = 5.4
def na_out : f32 = 140
def ca_out : f32 = 1.8

-- The shares of currents into the junction, and of L-type calcium currents.
def junction : f32 = 0.11
def sarcolemma : f32 = 1 - junction
def junction_ca : f32 = 0.9
def sarcolemma_ca : f32 = 1 - junction_ca

-- 1 / (1 + e^x)
def falling (x: f32) : f32 = 1 / (1 + f32.exp x)

def square (x: f32) : f32 = x * x
def cube (x: f32) : f32 = x * x * x

-- How the gates of the sodium channel, m, h and j, open and close.
def sodium_gates (v: f32) (m: f32) (h: f32) (j: f32) : (f32, f32, f32) =
  let open_m = 0.32 * (v + 47.13) / (1 - f32.exp (-0.1 * (v + 47.13)))
  let close_m = 0.08 * f32.exp (-v / 11)
  let (open_h, open_j, close_h, close_j) =
    if v >= -40
    then ( 0
         , 0
         , 1 / (0.13 * (1 + f32.exp (-(v + 10.66) / 11.1)))
         , 0.3 * f32.exp (-2.535e-7 * v) * falling (-0.1 * (v + 32))
         )
    else ( 0.135 * f32.exp ((80 + v) / (-6.8))
         , (-127140 * f32.exp (0.2444 * v) - 3.474e-5 * f32.exp (-0.04391 * v)) * (v + 37.78)
           * falling (0.311 * (v + 79.23))
         , 3.56 * f32.exp (0.079 * v) + 3.1e5 * f32.exp (0.35 * v)
         , 0.1212 * f32.exp (-0.01052 * v) * falling (-0.1378 * (v + 40.14))
         )
  let change gate opening closing = opening * (1 - gate) - closing * gate
  in (change m open_m close_m, change h open_h close_h, change j open_j close_j)

-- The sodium-calcium exchanger of a compartment with these concentrations.
def exchanger (v: f32) (na: f32) (ca: f32) : f32 =
  let (km_ca, km_ca_out, km_na, km_na_out) = (3.59e-3, 1.3, 12.29, 87.5)
  let (nu, activation) = (0.35, 0.256e-3)
  let back = f32.exp ((nu - 1) * v * per_volt)
  let active = 1 / (1 + cube (activation / ca))
  let inwards = f32.exp (nu * v * per_volt) * cube na * ca_out
  let outwards = back * cube na_out * ca
  let bound = (km_ca * cube na_out * (1 + cube (na / km_na)) + cube km_na_out * ca
               + cube km_na * ca_out * (1 + ca / km_ca) + km_ca_out * cube na + cube na * ca_out + cube na_out * ca)
              * (1 + 0.27 * back)
  in 9 * active * (inwards - outwards) / bound

-- The sarcolemma's calcium pump.
def calcium_pump (ca: f32) : f32 =
  let bound = ca ** 1.6
  in 0.0673 * bound / (0.5e-3 ** 1.6 + bound)

-- The 46 equations of excitation and contraction at time t.
def excitation (t: f32) (cycle: f32) (y: state) : [46]f32 =
  let v = y[38]
  let (na_j, na_sl, na_i, k_i) = (y[31], y[32], y[33], y[34])
  let (ca_sr, ca_j, ca_sl, ca_i) = (y[30], y[35], y[36], y[37])
  -- Nernst's potentials
  let e_na_j = f32.log (na_out / na_j) / per_volt
  let e_na_sl = f32.log (na_out / na_sl) / per_volt
  let e_k = f32.log (k_out / k_i) / per_volt
  let e_ca_j = f32.log (ca_out / ca_j) / (2 * per_volt)
  let e_ca_sl = f32.log (ca_out / ca_sl) / (2 * per_volt)
  let e_cl = f32.log (15f32 / 150) / per_volt
  -- fast sodium current and background
  let (d_m, d_h, d_j) = sodium_gates v y[0] y[1] y[2]
  let sodium = 16 * cube y[0] * y[1] * y[2] + 0.297e-3
  let i_na_j = junction * sodium * (v - e_na_j)
  let i_na_sl = sarcolemma * sodium * (v - e_na_sl)
  -- sodium-potassium pump
  let sigma = (f32.exp (na_out / 67.3) - 1) / 7
  let f_nak = 1 / (1 + 0.1245 * f32.exp (-0.1 * v * per_volt) + 0.0365 * sigma * f32.exp (-v * per_volt))
  let pump na = 1.90719 * f_nak * k_out / (1 + square (square (11 / na))) / (k_out + 1.5)
  let i_nak_j = junction * pump na_j
  let i_nak_sl = sarcolemma * pump na_sl
  -- rapidly activating potassium current
  let tau_xr = 1 / (0.00138 * (v + 7) / (1 - f32.exp (-0.123 * (v + 7)))
                    + 6.1e-4 * (v + 10) / (f32.exp (0.145 * (v + 10)) - 1))
  let d_xr = (falling (-(v + 50) / 7.5) - y[11]) / tau_xr
  let i_kr = 0.03 * f32.sqrt (k_out / 5.4) * y[11] * falling ((v + 33) / 22.4) * (v - e_k)
  -- slowly activating potassium current; the junction's reads the rapid one's gate, as in Rodinia
  let slow ca = 0.07 * (0.057 + 0.19 * falling ((-4.2 - f32.log ca / f32.log 10) / 0.6))
  let e_ks = f32.log ((k_out + 0.01833 * na_out) / (k_i + 0.01833 * na_i)) / per_volt
  let tau_xs = 1 / (7.19e-5 * (v + 30) / (1 - f32.exp (-0.148 * (v + 30)))
                    + 1.31e-4 * (v + 30) / (f32.exp (0.0687 * (v + 30)) - 1))
  let d_xs = (falling (-(v - 1.5) / 16.7) - y[12]) / tau_xs
  let i_ks = (junction * slow ca_j * square y[11] + sarcolemma * slow ca_sl * square y[12]) * (v - e_ks)
  -- plateau potassium current
  let i_kp = 0.001 * falling (7.488 - v / 5.98) * (v - e_k)
  -- transient outward potassium current, slow and fast
  let x_to = falling (-(v + 3) / 15)
  let y_to = falling ((v + 33.5) / 10)
  let at_60 = falling ((v + 60) / 10)
  let d_xtos = (x_to - y[7]) / (9 * falling ((v + 3) / 15) + 0.5)
  let d_ytos = (y_to - y[8]) / (3000 * at_60 + 30)
  let d_rtos = (y_to - y[39]) / (2800 * at_60 + 220)
  let d_xtof = (x_to - y[9]) / (3.5 * f32.exp (-v * v / 30 / 30) + 1.5)
  let d_ytof = (y_to - y[10]) / (20 * y_to + 20)
  let i_to = (0.06 * y[7] * (y[8] + 0.5 * y[39]) + 0.02 * y[9] * y[10]) * (v - e_k)
  -- time-independent potassium current
  let open_ki = 1.02 * falling (0.2385 * (v - e_k - 59.215))
  let close_ki = (0.49124 * f32.exp (0.08032 * (v + 5.476 - e_k)) + f32.exp (0.06175 * (v - e_k - 594.31)))
                 * falling (-0.5143 * (v - e_k + 4.753))
  let i_ki = 0.9 * f32.sqrt (k_out / 5.4) * (open_ki / (open_ki + close_ki)) * (v - e_k)
  -- chloride currents
  let i_cl_ca = 0.109625 * (junction / (1 + 0.1 / ca_j) + sarcolemma / (1 + 0.1 / ca_sl)) * (v - e_cl)
  let i_cl = i_cl_ca + 9.0e-3 * (v - e_cl)
  -- L-type calcium channel
  let dss = falling (-(v + 14.5) / 6)
  let tau_d = dss * (1 - f32.exp (-(v + 14.5) / 6)) / (0.035 * (v + 14.5))
  let fss = falling ((v + 35.06) / 3.6) + 0.6 * falling ((50 - v) / 20)
  let tau_f = 1 / (0.0197 * f32.exp (-square (0.0337 * (v + 14.5))) + 0.02)
  let d_d = (dss - y[3]) / tau_d
  let d_f = (fss - y[4]) / tau_f
  let inactivation gate ca = 1.7 * ca * (1 - gate) - 11.9e-3 * gate
  let (once, twice) = (f32.exp (v * per_volt), f32.exp (2 * v * per_volt))
  let field = v * faraday * per_volt
  let calcium ca = 5.4e-4 * 4 * field * (0.341 * ca * twice - 0.341 * ca_out) / (twice - 1)
  let monovalent permeability inside outside =
    permeability * field * (0.75 * inside * once - 0.75 * outside) / (once - 1)
  let opened = 0.45 * y[3] * y[4]
  let open_j = junction_ca * (1 - y[5])
  let open_sl = sarcolemma_ca * (1 - y[6])
  let i_ca_j = calcium ca_j * opened * open_j
  let i_ca_sl = calcium ca_sl * opened * open_sl
  let i_ca_k = monovalent 2.7e-7 k_i k_out * opened * (open_j + open_sl)
  let i_ca_na_j = monovalent 1.5e-8 na_j na_out * opened * open_j
  let i_ca_na_sl = monovalent 1.5e-8 na_sl na_out * opened * open_sl
  -- exchanger, pump and background of calcium
  let i_ncx_j = junction * exchanger v na_j ca_j
  let i_ncx_sl = sarcolemma * exchanger v na_sl ca_sl
  let i_pca_j = junction * calcium_pump ca_j
  let i_pca_sl = sarcolemma * calcium_pump ca_sl
  let i_cab_j = junction * 2.513e-4 * (v - e_ca_j)
  let i_cab_sl = sarcolemma * 2.513e-4 * (v - e_ca_sl)
  let to_calcium current = -current * capacitance / (volume_myo * 2 * faraday) * 1e3
  -- the sarcoplasmic reticulum: release, pump, leak
  let control = 15 - 14 / (1 + (0.45 / ca_sr) ** 2.5)
  let (to_open, to_inactive) = (10 / control * square ca_j, 0.5 * control * ca_j)
  let rest = 1 - y[13] - y[14] - y[15]
  let r_i = 0.005 * rest - to_inactive * y[13]
  let r_o = to_open * y[13] - 0.06 * y[14]
  let o_i = to_inactive * y[14] - 0.005 * y[15]
  let i_i = 0.06 * y[15] - to_open * rest
  let release = 25 * y[14] * (ca_sr - ca_j)
  let (filled, emptied) = ((ca_i / 0.246e-3) ** 1.787, (ca_sr / 1.7) ** 1.787)
  let serca = 2.86e-4 * (filled - emptied) / (1 + filled + emptied)
  let leak = 5.348e-6 * (ca_sr - ca_j)
  -- buffers
  let binding on off concentration free bound = on * concentration * free - off * bound
  let d_nab_j = binding 0.1e-3 1.0e-3 na_j (7.561 - y[16]) y[16]
  let d_nab_sl = binding 0.1e-3 1.0e-3 na_sl (1.65 - y[17]) y[17]
  let d_tnc_low = binding 32.7 19.6e-3 ca_i (70e-3 - y[18]) y[18]
  let d_tnc_ca = binding 2.37 0.032e-3 ca_i (140e-3 - y[19] - y[20]) y[19]
  let d_tnc_mg = binding 3.0e-3 3.33e-3 1 (140e-3 - y[19] - y[20]) y[20]
  let d_myosin_ca = binding 13.8 0.46e-3 ca_i (140e-3 - y[22] - y[23]) y[22]
  let d_myosin_mg = binding 0.0157 0.057e-3 1 (140e-3 - y[22] - y[23]) y[23]
  let d_srb = binding 100 60e-3 ca_i (19 * 0.9e-3 - y[24]) y[24]
  let d_sll_j = binding 100 1.3 ca_j (4.62e-3 * volume_myo / volume_junction * 0.1 - y[25]) y[25]
  let d_sll_sl = binding 100 1.3 ca_sl (37.38e-3 * volume_myo / volume_sl - y[26]) y[26]
  let d_slh_j = binding 100 30e-3 ca_j (1.65e-3 * volume_myo / volume_junction * 0.1 - y[27]) y[27]
  let d_slh_sl = binding 100 30e-3 ca_sl (13.35e-3 * volume_myo / volume_sl - y[28]) y[28]
  let d_csqn = binding 100 65 ca_sr (2.7 - y[29]) y[29]
  let bound_cytosol = d_tnc_low + d_tnc_ca + d_tnc_mg + d_myosin_ca + d_myosin_mg + d_srb
  -- concentrations
  let d_ca_sr = serca * volume_myo / volume_sr - (leak * volume_myo / volume_sr + release) - d_csqn
  let i_na_total_j = i_na_j + 3 * i_ncx_j + 3 * i_nak_j + i_ca_na_j
  let i_na_total_sl = i_na_sl + 3 * i_ncx_sl + 3 * i_nak_sl + i_ca_na_sl
  let na_j_sl : f32 = 1 / (1.6382e12 / 3 * 100)
  let na_sl_myo : f32 = 1 / (1.8308e10 / 3 * 100)
  let d_na_j = -i_na_total_j * capacitance / (volume_junction * faraday)
               + na_j_sl / volume_junction * (na_sl - na_j) - d_nab_j
  let d_na_sl = -i_na_total_sl * capacitance / volume_sl / faraday
                + na_j_sl / volume_sl * (na_j - na_sl) + na_sl_myo / volume_sl * (na_i - na_sl) - d_nab_sl
  let d_na_i = na_sl_myo / volume_myo * (na_sl - na_i)
  let i_k_total = i_to + i_kr + i_ks + i_ki - 2 * (i_nak_j + i_nak_sl) + i_ca_k + i_kp
  let i_ca_total_j = i_ca_j + i_cab_j + i_pca_j - 2 * i_ncx_j
  let i_ca_total_sl = i_ca_sl + i_cab_sl + i_pca_sl - 2 * i_ncx_sl
  let ca_j_sl : f32 = 1 / 1.2134e12
  let ca_sl_myo : f32 = 1 / 2.68510e11
  let d_ca_j = -i_ca_total_j * capacitance / (volume_junction * 2 * faraday)
               + ca_j_sl / volume_junction * (ca_sl - ca_j) - (d_sll_j + d_slh_j)
               + release * volume_sr / volume_junction + leak * volume_myo / volume_junction
  let d_ca_sl = -i_ca_total_sl * capacitance / (volume_sl * 2 * faraday)
                + ca_j_sl / volume_sl * (ca_j - ca_sl) + ca_sl_myo / volume_sl * (ca_i - ca_sl)
                - (d_sll_sl + d_slh_sl)
  let d_ca_i = -serca - bound_cytosol + ca_sl_myo / volume_myo * (ca_sl - ca_i)
  -- the stimulus, at the beginning of each cycle, and the membrane's potential
  let stimulus = if t - cycle * f32.trunc (t / cycle) <= 5 then 9.5 else 0
  let i_total = i_na_total_j + i_na_total_sl + i_cl + i_ca_total_j + i_ca_total_sl + i_k_total
  in [ d_m, d_h, d_j, d_d, d_f, inactivation y[5] ca_j, inactivation y[6] ca_sl
     , d_xtos, d_ytos, d_xtof, d_ytof, d_xr, d_xs
     , r_i - r_o, r_o - o_i, o_i - i_i
     , d_nab_j, d_nab_sl, d_tnc_low, d_tnc_ca, d_tnc_mg, 0, d_myosin_ca, d_myosin_mg, d_srb
     , d_sll_j, d_sll_sl, d_slh_j, d_slh_sl, d_csqn, d_ca_sr
     , d_na_j, d_na_sl, d_na_i, 0, d_ca_j, d_ca_sl, d_ca_i, stimulus - i_total, d_rtos, 0, 0
     , to_calcium (i_ca_j + i_ca_sl), to_calcium (i_pca_j + i_pca_sl)
     , -2 * to_calcium (i_ncx_j + i_ncx_sl), to_calcium (i_cab_j + i_cab_sl)
     ]

-- Calmodulin, its kinase and calcineurin in one compartment, whose 15 values begin at `y[first]`, with `ca`
-- micromoles of calcium; besides their changes the calcium that they bind.
def calmodulin (params: [16]f32) (first_param: i64) (ca: f32) (y: state) (first: i64) : ([15]f32, f32) =
  let (b_total, kinase_total) = (params[first_param + 1], params[first_param + 2])
  let (can_total, pp1_total) = (params[first_param + 3], params[first_param + 4])
  let (cam, ca2cam, ca4cam) = (y[first], y[first + 1], y[first + 2])
  let (cam_b, ca2cam_b, ca4cam_b) = (y[first + 3], y[first + 4], y[first + 5])
  let (pb2, pb, pt) = (y[first + 6], y[first + 7], y[first + 8])
  let (pt2, pa, ca4can) = (y[first + 9], y[first + 10], y[first + 11])
  let (cam_can, ca2cam_can, ca4cam_can) = (y[first + 12], y[first + 13], y[first + 14])
  let ca2 = square ca
  -- rates, with 135 mM of potassium and 1 mM of magnesium
  let (k, mg) = (135, 1)
  let kd02 : f32 = 0.0025 * (1 + k / 0.94 - mg / 0.012) * (1 + k / 8.1 + mg / 0.022)
  let kd24 : f32 = 0.128 * (1 + k / 0.64 + mg / 0.0014) * (1 + k / 13 - mg / 0.153)
  let (k20, k42) = (10, 500)
  let (k02, k24) = (k20 / kd02, k42 / kd24)
  let k0b_off : f32 = 0.0014
  let (kb_on, kb_off) = (k0b_off / 0.2, k0b_off / 100)
  let kbi : f32 = 2.2
  let kib = kbi / 33.5e-3
  let (kpp1, km_pp1) = (1.72, 11.5)
  let kb42 = k42 * 33.5e-3 / 5
  let (kta, kt42) = (kbi / 1000, k42 * 33.5e-6 / 5)
  let can_on : f32 = 46
  let can4_off : f32 = 0.0013
  let can2_off = 2508 * can4_off
  let can0_off = 165 * can2_off
  -- calmodulin, free, buffered, and with calcineurin
  let r02 = k02 * ca2 * cam - k20 * ca2cam
  let r24 = k24 * ca2 * ca2cam - k42 * ca4cam
  let b = b_total - cam_b - ca2cam_b - ca4cam_b
  let r02b = k02 * ca2 * cam_b - k20 / 100 * ca2cam_b
  let r24b = k24 * ca2 * ca2cam_b - k42 * ca4cam_b
  let r0b = kb_on * cam * b - k0b_off * cam_b
  let r2b = kb_on * ca2cam * b - kb_off * ca2cam_b
  let r4b = kb_on * ca4cam * b - kb_off * ca4cam_b
  let ca2can = can_total - ca4can - cam_can - ca2cam_can - ca4cam_can
  let r_can = 2 * ca2 * ca2can - ca4can
  let r02can = k02 * ca2 * cam_can - k20 / 165 * ca2cam_can
  let r24can = k24 * ca2 * ca2cam_can - k20 / 2508 * ca4cam_can
  let r0can = can_on * cam * ca4can - can0_off * cam_can
  let r2can = can_on * ca2cam * ca4can - can2_off * ca2cam_can
  let r4can = can_on * ca4cam * ca4can - can4_off * ca4cam_can
  -- the kinase
  let inactive = 1 - pb2 - pb - pt - pt2 - pa
  let r_ib2 = kib * ca2cam * inactive - kib * 5 * pb2
  let r_b2b = k24 * ca2 * pb2 - kb42 * pb
  let r_ib = kib * ca4cam * inactive - kbi * pb
  let active = pb + pt + pt2 + pa
  let dephosphorylated p = kpp1 * pp1_total * p / (km_pp1 + kinase_total * p)
  let r_bt = (0.055 * active + 0.0074 * square active + 0.015 * cube active) * pb - dephosphorylated pt
  let r_tt2 = kt42 * pt - k24 * ca2 * pt2
  let r_ta = kta * pt - kib * ca4cam * pa
  let r_t2a = kib * 5 * pt2 - kib * ca2cam * pa
  let per_second = map (* 1e-3)
    [ -r02 - r0b - r0can
    , r02 - r24 - r2b - r2can + kinase_total * (r_t2a - r_ib2)
    , r24 - r4b - r4can + kinase_total * (r_ta - r_ib)
    , r0b - r02b
    , r02b + r2b - r24b
    , r24b + r4b
    , r_ib2 - r_b2b + dephosphorylated pt2
    , r_ib + r_b2b - r_bt
    , r_bt - r_ta - r_tt2
    , r_tt2 - r_t2a - dephosphorylated pt2
    , r_ta + r_t2a - dephosphorylated pa
    , r_can - r0can - r2can - r4can
    , r0can - r02can
    , r2can + r02can - r24can
    , r4can + r24can
    ]
  let bound = 2 * kinase_total * (r_tt2 - r_b2b) - 2 * (r02 + r24 + r02b + r24b + r_can + r02can + r24can)
  in (per_second, 1e-3 * bound)

def dyad : i64 = 46
def sl : i64 = 61
def cyt : i64 = 76

-- What calmodulin does to the calcium of the three compartments, and what of it moves between them.
def exchange (params: [16]f32) (y: state) (bound: (f32, f32, f32)) (changes: *state) : *state =
  let (v_myo, v_dyad, v_sl, sl_to_myo) = (2.1454e-11, 1.7790e-14, 6.6013e-13, 8.587e-15)
  let (k0b_off, k2b_off, kb_on) = (0.0014, 0.0014 / 100, 0.0014 / 0.2)
  let sum from n = loop s = 0 for i < n do s + y[from + i]
  let total = sum dyad 6 + params[3] * sum (dyad + 6) 4 + sum (dyad + 12) 3
  let b = params[2] - total
  let dyad_to_sl i off = 1e-3 * (off * y[dyad + i] - kb_on * b * y[sl + i])
  let out = [dyad_to_sl 0 k0b_off, dyad_to_sl 1 k2b_off, dyad_to_sl 2 k2b_off]
  let changes[35] = changes[35] + 1e-3 * bound.0
  let changes[36] = changes[36] + 1e-3 * bound.1
  let changes[37] = changes[37] + 1e-3 * bound.2
  in loop changes for i < 3 do
       let to_myo = sl_to_myo * (y[sl + i] - y[cyt + i])
       let changes[dyad + i] = changes[dyad + i] - out[i]
       let changes[sl + i] = changes[sl + i] + out[i] * v_dyad / v_sl - to_myo / v_sl
       let changes[cyt + i] = changes[cyt + i] + to_myo / v_myo
       in changes

-- All equations; what is no number becomes a small one.
def derivatives (params: [16]f32) (t: f32) (y: state) : state =
  let (of_dyad, bound_dyad) = calmodulin params 1 (y[35] * 1e3) y dyad
  let (of_sl, bound_sl) = calmodulin params 6 (y[36] * 1e3) y sl
  let (of_cyt, bound_cyt) = calmodulin params 11 (y[37] * 1e3) y cyt
  let changes = excitation t params[0] y ++ of_dyad ++ of_sl ++ of_cyt :> state
  in exchange params y (bound_dyad, bound_sl, bound_cyt) changes
     |> map (\x -> if f32.isnan x || f32.isinf x then 0.0001 else x)

-- Fehlberg, Classical Fifth-, Sixth-, Seventh-, and Eighth-Order Runge-Kutta Formulas, NASA TR R-287 (1968).
def times : [13]f32 = [0, 2/27, 1/9, 1/6, 5/12, 1/2, 5/6, 1/6, 2/3, 1/3, 1, 0, 1]

def factors : [13][12]f32 =
  [ [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
  , [2/27, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
  , [1/36, 3/36, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
  , [1/24, 0, 3/24, 0, 0, 0, 0, 0, 0, 0, 0, 0]
  , [20/48, 0, -75/48, 75/48, 0, 0, 0, 0, 0, 0, 0, 0]
  , [1/20, 0, 0, 5/20, 4/20, 0, 0, 0, 0, 0, 0, 0]
  , [-25/108, 0, 0, 125/108, -260/108, 250/108, 0, 0, 0, 0, 0, 0]
  , [31/300, 0, 0, 0, 61/225, -2/9, 13/900, 0, 0, 0, 0, 0]
  , [2, 0, 0, -53/6, 704/45, -107/9, 67/90, 3, 0, 0, 0, 0]
  , [-91/108, 0, 0, 23/108, -976/135, 311/54, -19/60, 17/6, -1/12, 0, 0, 0]
  , [2383/4100, 0, 0, -341/164, 4496/1025, -301/82, 2133/4100, 45/82, 45/164, 18/41, 0, 0]
  , [3/205, 0, 0, 0, 0, -6/41, -3/205, -3/41, 3/41, 6/41, 0, 0]
  , [-1777/4100, 0, 0, -341/164, 4496/1025, -289/82, 2193/4100, 51/82, 33/164, 12/41, 0, 1]
  ]

-- The state after a step of length h, and how far it may be off.
def step (params: [16]f32) (t: f32) (h: f32) (y: state) : (state, state) =
  let slopes =
    loop slopes = replicate 13 (replicate 91 0) for stage < 13 do
      let between i = y[i] + h * (loop sum = 0 for k < stage do sum + factors[stage, k] * slopes[k, i])
      in slopes with [stage] = derivatives params (t + times[stage] * h) (tabulate 91 between)
  let next i =
    y[i] + h * (41/840 * (slopes[0, i] + slopes[10, i]) + 34/105 * slopes[5, i]
                + 9/35 * (slopes[6, i] + slopes[7, i]) + 9/280 * (slopes[8, i] + slopes[9, i]))
  let off i = f32.abs (41/840 * (slopes[0, i] + slopes[10, i] - slopes[11, i] - slopes[12, i]))
  in (tabulate 91 next, tabulate 91 off)

-- From `time` to `time + 1`: steps of different length are tried until one is good enough. False if none is.
def advance (params: [16]f32) (end: i32) (time: i32) (y: state) : (state, bool) =
  let tolerance = 10 / f32.i32 end
  let (from, to) = (f32.i32 time, f32.i32 end)
  let (_, _, next, good) =
    loop (tries, h, next, good) = (0, 1, replicate 91 0, false) while !good && tries < 12i32 do
      let (next, off) = step params from h y
      let scales = map (\x -> if x == 0 then tolerance else f32.abs x) y
      let good = and (map2 (\error scale -> error <= tolerance * scale) off scales)
      let wish = f32.minimum (map2 (\error scale -> 0.8 * (tolerance * scale / error) ** (1 / 7)) off scales)
      let h = f32.min 0.9 (h * f32.min 4 (f32.max 0.125 wish))
      let h = if from + h > to then to - from else if from + 1.5 * h > to then 0.5 * h else h
      in (tries + 1, h, next, good)
  in (next, good)

def solve (params: [16]f32) (end: i32) (start: state) : (bool, state) =
  let (_, good, y) =
    loop (time, good, y) = (0, end >= 0, start) while good && time < end do
      let (next, good) = advance params end time y
      in (time + 1, good, next)
  in (good, y)

-- Cells whose values start `eps` apart, `repeat` different ones: whether all could be solved, and their ends.
entry main (repeat: i32) (eps: f32) (workload: i64) (xmax: i32) (y0: [91]f32) (params: [16]f32)
  : (bool, [workload][91]f32) =
  let cell i = let apart = f32.i32 (i32.i64 i % repeat) * eps
               in solve params xmax (map (+ apart) y0)
  let (goods, ends) = unzip (tabulate workload cell)
  in (and goods, ends)

-- A cell at rest, and what is fixed: the time between stimuli, and in each compartment the calcium, the
-- calmodulin buffers, the kinase, calcineurin and the phosphatase.
def at_rest : state =
  [ 0.00137, 0.987, 0.992, 7e-6, 1, 0.0258, 0.0156, 0.00401, 0.319, 0.00401, 0.995, 0.00847, 0.00604, 0.889
  , 8.21e-7, 1.03e-7, 3.55, 0.776, 0.00908, 0.118, 0.0102, 0.000253, 0.00201, 0.137, 0.00221, 0.00777, 0.0101
  , 0.0757, 0.116, 1.25, 0.561, 8.86, 8.86, 8.86, 135, 0.000184, 0.000109, 8.89e-5, -85.7, 0.411, 0, 0, 1.75e4
  , -1.47e4, -1.69e5, 1.66e5, 387, 6.01, 0.00217, 0, 0, 0, 0.529, 0.0318, 7.1e-6, 2.83e-9, 2.34e-9, 0.000133
  , 0.00438, 0.0125, 3.6, 0.0438, 5.47e-5, 8.61e-9, 2.37, 13.1, 0.000272, 1.11e-5, 9.52e-6, 1.34e-7, 1.47e-12
  , 8.81e-9, 0.000569, 2.14e-6, 5.67e-6, 0.00137, 0.0436, 3.88e-5, 5.56e-10, 4.14, 1.13, 1.56e-5, 7.77e-6
  , 4.59e-8, 3.06e-13, 3.28e-18, 2.04e-14, 0.00012, 4.49e-7, 1.71e-7, 8.13e-7
  ]

def beating : [16]f32 =
  [1e3, 418, 0, 120, 3.62, 96.5, 5.65, 24.2, 0.0995, 0.003, 0.57, 5.65, 24.2, 0.0995, 0.003, 0.57]

-- Cells that start 0.0001 apart, after `end` milliseconds.
entry rest (workload: i64) (end: i32) : [][91]f32 = (main 113 0.0001 workload end (copy at_rest) (copy beating)).1
