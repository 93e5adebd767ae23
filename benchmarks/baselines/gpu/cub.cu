// Works as CUB and Thrust do them, on arrays that lie on the device. A function gives an error's number, or 0.
#include <cub/cub.cuh>
#include <cstdint>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/transform.h>

#define WORK(name) extern "C" int name(const int64_t *sizes, const void *const *in, void *const *out)

// Whether CUDA's run time gets on with the driver.
extern "C" int ready() { return cudaFree(nullptr); }

// CUB asks for room first; it is kept from one call to the next.
template <class Call>
static int with_room(Call call) {
  static void *room = nullptr;
  static size_t size = 0;
  size_t needed = 0;
  cudaError_t error = call(nullptr, needed);
  if (error == cudaSuccess && needed > size) {
    cudaFree(room);
    error = cudaMalloc(&room, needed);
    size = error == cudaSuccess ? needed : 0;
  }
  return error == cudaSuccess ? call(room, needed) : error;
}

// sizes: n; in: xs; out: xs. Twice as much and one.
WORK(map_f32) {
  const float *from = (const float *)in[0];
  auto one = [] __device__(float x) { return 2 * x + 1; };
  try {
    thrust::transform(thrust::cuda::par_nosync, from, from + sizes[0], (float *)out[0], one);
  } catch (...) {
    // Thrust throws, and the caller is no C++.
    return cudaErrorUnknown;
  }
  return cudaGetLastError();
}

// sizes: n; in: xs; out: the sum
WORK(sum_f32) {
  return with_room([=](void *room, size_t &size) {
    return cub::DeviceReduce::Sum(room, size, (const float *)in[0], (float *)out[0], (int)sizes[0]);
  });
}

// sizes: n; in: xs; out: sums up to each
WORK(inclusive_f32) {
  return with_room([=](void *room, size_t &size) {
    return cub::DeviceScan::InclusiveSum(room, size, (const float *)in[0], (float *)out[0], (int)sizes[0]);
  });
}

WORK(inclusive_i32) {
  return with_room([=](void *room, size_t &size) {
    return cub::DeviceScan::InclusiveSum(room, size, (const int *)in[0], (int *)out[0], (int)sizes[0]);
  });
}

// sizes: n, bins; in: bins, numbers below bins; out: how often each occurs
WORK(histogram) {
  int bins = (int)sizes[1];
  return with_room([=](void *room, size_t &size) {
    return cub::DeviceHistogram::HistogramEven(room, size, (const int *)in[1], (int *)out[0], bins + 1, 0, bins, (int)sizes[0]);
  });
}

// sizes: rows, columns; in: xss; out: the sum of each row
WORK(rows) {
  int64_t columns = sizes[1];
  auto starts = thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0),
                                                [columns] __host__ __device__(int64_t row) { return row * columns; });
  return with_room([=](void *room, size_t &size) {
    return cub::DeviceSegmentedReduce::Sum(room, size, (const float *)in[0], (float *)out[0], (int)sizes[0], starts, starts + 1);
  });
}
