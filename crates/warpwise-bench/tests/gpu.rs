//! The kernels written by hand compute what the programs do: on an OpenCL device, and as far as NVIDIA's compiler as CUDA.

use std::io::Write;
use std::path::Path;

use warpwise_bench::compare::disagreement;
use warpwise_bench::gpu::{ByHand, Resident, SOURCES, kernel_text, works_by_hand};
use warpwise_bench::ours::Ours;
use warpwise_bench::peer::Peer;
use warpwise_driver::{Context, Dialect, Options};
use warpwise_gpu::cuda::{Compiler, NVRTC};

const OPENCL: (Dialect, usize) = (Dialect::OpenCl, 0);

#[test]
fn kernels_by_hand_agree_with_programs() {
    let context = Context::new();
    if let Err(missing) = context.device_memory(OPENCL.0, OPENCL.1) {
        let _ = writeln!(std::io::stderr(), "skipped: kernels by hand, because {missing}");
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // Sizes of which most fill no block whole.
    let works = works_by_hand(0.006);
    let programs: std::collections::BTreeSet<&str> = works.iter().map(|work| work.program).collect();
    assert_eq!(programs.len(), SOURCES.len(), "a work for each kernel: {programs:?}");
    for work in works {
        let inputs = (work.inputs)();
        let mut processor = Ours::prepare(&root, "cpu", &work, &inputs, 1, &Options::default()).unwrap();
        let mut peers: [Box<dyn Peer>; 2] = [
            Box::new(ByHand::prepare(&work, &inputs, &context, OPENCL).unwrap()),
            Box::new(Resident::prepare(&root, &work, &inputs, &context, OPENCL).unwrap()),
        ];
        processor.run().unwrap();
        let expected = processor.results().unwrap();
        for peer in &mut peers {
            // Twice: what the first run wrote is there when the second begins.
            for _ in 0..2 {
                peer.run().unwrap();
                let difference = disagreement(&expected, &peer.results().unwrap(), work.tolerance);
                assert_eq!(difference, None, "{}, {}", work.name, peer.name());
            }
        }
    }
}

#[test]
fn kernels_by_hand_compile_as_cuda() {
    if std::env::var_os(NVRTC).is_none() {
        // Not by a macro: the test runner would keep it to itself.
        let _ = writeln!(std::io::stderr(), "skipped: kernels by hand as CUDA, because {NVRTC} is not set");
        return;
    }
    let compiler = Compiler::find().unwrap();
    for (name, text) in SOURCES {
        for architecture in [80, 90] {
            let code = compiler
                .compile(&kernel_text(text), architecture)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(!code.is_empty());
        }
    }
}
