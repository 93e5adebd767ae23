//! Every kind of copy against an element-by-element oracle; memory around the results stays untouched.

use super::*;

/// A generator of pseudo-random numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % bound
    }
}

/// Copies between views of fresh memory and compares every byte of the result's memory.
fn check(threads: &ThreadPool, width: usize, shape: &[i64], to: (i64, &[i64]), from: (i64, &[i64])) {
    let extent = |(offset, strides): (i64, &[i64])| {
        let reach = |sign: i64| -> i64 {
            shape.iter().zip(strides).map(|(size, stride)| (stride * sign).max(0) * (size - 1).max(0)).sum()
        };
        (offset - reach(-1), offset + reach(1) + 1)
    };
    let memory = |view| {
        let (least, most) = extent(view);
        assert!(least >= 0, "the test's own view lies within its memory");
        (most as usize + 20).next_multiple_of(8) * width / 8 + 8
    };
    let mut numbers = Numbers(width as u64);
    let mut random = |words| (0..words).map(|_| numbers.below(1 << 31) as u64 * 0x1_0001_0003).collect();
    let (source, before): (Vec<u64>, Vec<u64>) = (random(memory(from)), random(memory(to)));
    let mut expect = before.clone();
    let (expect_bytes, source_bytes): (&mut [u8], &[u8]) =
        (bytemuck::cast_slice_mut(&mut expect), bytemuck::cast_slice(&source));
    let mut index = vec![0; shape.len()];
    let count: i64 = shape.iter().product();
    for _ in 0..count {
        let place = |(offset, strides): (i64, &[i64])| {
            let elements =
                index.iter().zip(strides).fold(offset, |sum, (index, stride)| sum + index * stride);
            elements as usize * width
        };
        expect_bytes[place(to)..][..width].copy_from_slice(&source_bytes[place(from)..][..width]);
        for (index, &size) in index.iter_mut().zip(shape).rev() {
            *index += 1;
            if *index < size {
                break;
            }
            *index = 0;
        }
    }
    let mut actual = before;
    let (to, from) = (
        Side { start: actual.as_mut_ptr().cast(), offset: to.0, strides: to.1 },
        Side { start: source.as_ptr().cast_mut().cast(), offset: from.0, strides: from.1 },
    );
    // SAFETY: the memory is as large as the views require.
    unsafe { copy_strided(threads, width, shape, to, from) }.unwrap();
    assert!(actual == expect, "width {width} shape {shape:?} to {to:?} from {from:?}");
}

fn row_major(shape: &[i64]) -> Vec<i64> {
    let mut strides = vec![1; shape.len()];
    for dim in (1..shape.len()).rev() {
        strides[dim - 1] = strides[dim] * shape[dim];
    }
    strides
}

/// Returns the strides of an array of this shape whose dimensions lie in memory in the order `order`.
fn permuted(shape: &[i64], order: &[usize]) -> Vec<i64> {
    let sizes: Vec<i64> = order.iter().map(|&dim| shape[dim]).collect();
    let strides = row_major(&sizes);
    let mut result = vec![0; shape.len()];
    order.iter().zip(strides).for_each(|(&dim, stride)| result[dim] = stride);
    result
}

#[test]
fn transpositions_of_all_widths_and_shapes() {
    let threads = ThreadPool::new(2);
    for width in [1, 2, 4, 8] {
        for rows in [1, 2, 3, 4, 5, 15, 16, 17, 33, 64, 130] {
            for columns in [1, 3, 4, 7, 8, 16, 63, 64, 65, 257] {
                let shape = [rows, columns];
                check(&threads, width, &shape, (0, &[columns, 1]), (0, &[1, rows]));
                // Padded rows, and starts that are not aligned for any vector.
                check(&threads, width, &shape, (3, &[columns + 5, 1]), (1, &[1, rows + 2]));
            }
        }
        check(&threads, width, &[1100, 530], (0, &[530, 1]), (0, &[1, 1100]));
        check(
            &threads,
            width,
            &[3, 40, 50],
            (0, &row_major(&[3, 40, 50])),
            (0, &permuted(&[3, 40, 50], &[0, 2, 1])),
        );
        check(
            &threads,
            width,
            &[6, 40, 50],
            (0, &row_major(&[6, 40, 50])),
            (0, &permuted(&[6, 40, 50], &[2, 0, 1])),
        );
    }
}

#[test]
fn large_transpositions_stream() {
    let threads = ThreadPool::new(2);
    let (rows, columns) = (2048, (STREAM_FROM / 2048 / 4) as i64);
    check(&threads, 4, &[rows, columns], (0, &[columns, 1]), (0, &[1, rows]));
    check(&threads, 4, &[rows, columns + 3], (0, &[columns + 3, 1]), (0, &[1, rows]));
}

#[test]
fn random_views() {
    let threads = ThreadPool::new(3);
    let mut numbers = Numbers(7);
    for round in 0..3000 {
        let rank = numbers.below(6);
        let shape: Vec<i64> =
            (0..rank).map(|_| numbers.below(6) as i64 + i64::from(round % 50 != 0)).collect();
        let mut view = |repeat: bool| {
            let mut order: Vec<usize> = (0..rank).collect();
            for dim in (1..rank).rev() {
                order.swap(dim, numbers.below(dim + 1));
            }
            let mut strides = permuted(&shape, &order);
            let step = 1 + numbers.below(3) as i64;
            let mut offset = numbers.below(4) as i64;
            for (stride, &size) in strides.iter_mut().zip(&shape) {
                *stride *= step;
                if numbers.below(3) == 0 {
                    offset += *stride * (size - 1).max(0);
                    *stride = -*stride;
                } else if repeat && numbers.below(4) == 0 {
                    *stride = 0;
                }
            }
            (offset, strides)
        };
        let ((to, to_strides), (from, from_strides)) = (view(false), view(true));
        for width in [1, 2, 4, 8] {
            check(&threads, width, &shape, (to, &to_strides), (from, &from_strides));
        }
    }
}

#[test]
fn large_views_on_several_threads() {
    let threads = ThreadPool::new(3);
    // Dense, long rows, short rows, replicated rows and columns, every second element, reversed.
    check(&threads, 4, &[300_000], (1, &[1]), (2, &[1]));
    check(&threads, 8, &[2, 200_000], (0, &[200_001, 1]), (0, &[200_000, 1]));
    check(&threads, 2, &[100_000, 3], (0, &[3, 1]), (0, &[4, 1]));
    check(&threads, 4, &[500, 400], (0, &[400, 1]), (0, &[0, 1]));
    check(&threads, 4, &[500, 400], (0, &[400, 1]), (0, &[1, 0]));
    check(&threads, 1, &[500_000], (0, &[1]), (0, &[2]));
    check(&threads, 8, &[100_000], (0, &[1]), (99_999, &[-1]));
    check(&threads, 4, &[100_000], (199_998, &[-2]), (0, &[1]));
}

#[test]
fn dense_copies_of_many_lengths_and_alignments() {
    let threads = ThreadPool::new(2);
    for bytes in [0, 1, 63, 64, 65, 1000, SHARE_FROM + 13, STREAM_FROM + 77] {
        for (to_start, from_start) in [(0, 0), (1, 0), (0, 3), (63, 65)] {
            let source: Vec<u8> = (0..bytes + 70).map(|at| (at * 7 + at / 251) as u8).collect();
            let mut result = vec![0xaa; bytes + 130];
            let (to, from) = (result[to_start..].as_mut_ptr(), source[from_start..].as_ptr());
            // SAFETY: both have at least `bytes` bytes from these addresses on.
            unsafe { copy_dense(&threads, to, from, bytes) }.unwrap();
            assert!(result[to_start..to_start + bytes] == source[from_start..from_start + bytes]);
            assert!(result[..to_start].iter().all(|&byte| byte == 0xaa));
            assert!(result[to_start + bytes..].iter().all(|&byte| byte == 0xaa));
        }
    }
}

#[test]
fn fills_and_counts() {
    let threads = ThreadPool::new(2);
    for width in [1, 2, 4, 8] {
        for count in [0, 1, 5, 63, 64, 1000, SHARE_FROM / width + 3, STREAM_FROM / width + 5] {
            let mut result = vec![u64::MAX; (count * width).div_ceil(8) + 17];
            // The address is aligned for the element width only.
            let skipped = 8 + width % 8;
            let to = result.as_mut_ptr().cast::<u8>().wrapping_add(skipped);
            let bits = 0x8877_6655_4433_2211_u64;
            // SAFETY: the vector is long enough.
            unsafe { fill(&threads, to, width, bits, count) }.unwrap();
            let bytes: &[u8] = bytemuck::cast_slice(&result);
            let (before, rest) = bytes.split_at(skipped);
            let (filled, after) = rest.split_at(count * width);
            assert!(before.iter().chain(after).all(|&byte| byte == 0xff), "{width} {count}");
            assert!(filled.chunks_exact(width).all(|element| *element == bits.to_le_bytes()[..width]));
            let (start, step) = (i64::MAX - 5, -3);
            // SAFETY: as above.
            unsafe { iota(&threads, to, width, start, step, count) }.unwrap();
            let bytes: &[u8] = bytemuck::cast_slice(&result);
            let (before, rest) = bytes.split_at(skipped);
            let (counted, after) = rest.split_at(count * width);
            assert!(before.iter().chain(after).all(|&byte| byte == 0xff), "{width} {count}");
            for (element, index) in counted.chunks_exact(width).zip(0..) {
                let value = start.wrapping_add(step * index);
                assert_eq!(*element, value.to_le_bytes()[..width], "{width} {count} {index}");
            }
        }
    }
}
