//! Random values for tests and benchmarks: the same for the same types, on every machine.
//!
//! Integers are uniform over their type, floats over `0 <= x < 1`.

use half::f16;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use warpwise_prim::{Scalar, ValueType};
use warpwise_runtime::array::{Array, Value};
use warpwise_runtime::memory::{MemoryPool, OutOfMemory};

/// Returns the random value for a position among the arguments. An empty shape gives a scalar.
pub fn random_value(
    position: usize,
    element: ValueType,
    shape: &[i64],
    memory: &MemoryPool,
) -> Result<Value, OutOfMemory> {
    random_value_from(0x5eed + position as u64, element, shape, memory)
}

/// Returns the random value for a seed.
pub fn random_value_from(
    seed: u64,
    element: ValueType,
    shape: &[i64],
    memory: &MemoryPool,
) -> Result<Value, OutOfMemory> {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut array = Array::allocate(memory, element.scalar(), shape)?;
    fill(&mut random, element, array.bytes_mut(memory)?);
    match (shape, array.element(0)) {
        ([], Some(value)) => Ok(Value::scalar(element, value)),
        _ => Ok(Value::array(element, array)),
    }
}

fn fill(random: &mut SmallRng, element: ValueType, bytes: &mut [u8]) {
    let float = |random: &mut SmallRng| random.random::<f32>();
    let mut each = |width: usize, mut next: Box<dyn FnMut(&mut SmallRng) -> Scalar>| {
        for place in bytes.chunks_exact_mut(width) {
            place.copy_from_slice(&next(random).to_bits().to_le_bytes()[..width]);
        }
    };
    match element {
        ValueType::Bool => each(1, Box::new(|random| Scalar::Bool(random.random()))),
        ValueType::F16 => each(2, Box::new(move |random| Scalar::F16(below_one(float(random))))),
        ValueType::F32 => each(4, Box::new(move |random| Scalar::F32(float(random)))),
        ValueType::F64 => each(8, Box::new(|random| Scalar::F64(random.random()))),
        ValueType::I8
        | ValueType::I16
        | ValueType::I32
        | ValueType::I64
        | ValueType::U8
        | ValueType::U16
        | ValueType::U32
        | ValueType::U64 => random.fill(bytes),
    }
}

/// Rounds to `f16`, but not up to 1.
fn below_one(value: f32) -> f16 {
    f16::from_f32(value.min(0.999))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn are_the_same_every_time_and_differ_by_position() {
        let memory = MemoryPool::new(1 << 20);
        for ty in ValueType::ALL {
            let value = |position| random_value(position, ty, &[9, 100], &memory).unwrap();
            assert_eq!(value(0), value(0));
            assert_ne!(value(0), value(1), "{ty}");
            assert_eq!(value(0).type_text(), format!("[9][100]{ty}"));
            assert_eq!(random_value(0, ty, &[], &memory).unwrap().type_text(), ty.name());
            assert_eq!(random_value(0, ty, &[3, 0], &memory).unwrap().bytes(), 0);
        }
    }

    #[test]
    fn floats_lie_between_0_and_1() {
        let memory = MemoryPool::new(1 << 20);
        let value = random_value(0, ValueType::F32, &[10_000], &memory).unwrap();
        let elements = value.as_slice::<f32>().unwrap();
        assert!(elements.iter().all(|x| (0.0..1.0).contains(x)));
        let mean = elements.iter().sum::<f32>() / 10_000.0;
        assert!((0.48..0.52).contains(&mean), "{mean}");
        assert!(below_one(0.99999994).to_f32() < 1.0);
    }

    #[test]
    fn absurd_sizes_do_not_fit() {
        let memory = MemoryPool::new(1 << 20);
        assert!(random_value(0, ValueType::F64, &[i64::MAX], &memory).is_err());
        assert!(random_value(0, ValueType::U8, &[i64::MAX, i64::MAX], &memory).is_err());
    }
}
