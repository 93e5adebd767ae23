// Works as cuBLAS does them, on arrays that lie on the device. A function gives an error's number, or 0.
//
// What is row-major here is transposed to cuBLAS, which takes columns; so products change sides.
#include <cstdint>
#include <cublas_v2.h>
#include <cuda_runtime.h>

#define WORK(name) extern "C" int name(const int64_t *sizes, const void *const *in, void *const *out)

static cublasHandle_t handle;

// Whether there is a device for it.
extern "C" int ready() { return cublasCreate(&handle); }

// sizes: n, m, p; in: a [n][m], b [m][p], c [n][p], alpha, beta; out: alpha a b + beta c
WORK(sgemm) {
  int n = (int)sizes[0], m = (int)sizes[1], p = (int)sizes[2];
  const float *a = (const float *)in[0], *b = (const float *)in[1], *alpha = (const float *)in[3], *beta = (const float *)in[4];
  cudaMemcpyAsync(out[0], in[2], sizeof(float) * n * p, cudaMemcpyDeviceToDevice);
  return cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, p, n, m, alpha, b, p, a, m, beta, (float *)out[0], p);
}

// sizes: rows, columns; in: a; out: its transpose
WORK(transpose_f32) {
  int rows = (int)sizes[0], columns = (int)sizes[1];
  const float one = 1, zero = 0, *a = (const float *)in[0];
  return cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, rows, columns, &one, a, columns, &zero, a, rows, (float *)out[0], rows);
}
