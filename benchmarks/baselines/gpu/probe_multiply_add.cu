// What arithmetic can do: eight chains of multiply-adds a thread, 32 in each a round.
enum { CHAINS = 8, LINKS = 32 };

KERNEL(256) probe_multiply_add(int rounds, float factor, float summand, GLOBAL float *RESTRICT to) {
  float v[CHAINS], sum = 0;
#pragma unroll
  for (int k = 0; k < CHAINS; k++) v[k] = ITEM + k;
  for (int round = 0; round < rounds; round++)
#pragma unroll
    for (int link = 0; link < LINKS; link++)
#pragma unroll
      for (int k = 0; k < CHAINS; k++) v[k] = FMA(v[k], factor, summand);
#pragma unroll
  for (int k = 0; k < CHAINS; k++) sum += v[k];
  to[BLOCK * 256 + ITEM] = sum;
}
