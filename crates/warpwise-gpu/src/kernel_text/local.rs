//! Work-groups and their arrays in local memory.
//!
//! Arrays of constant size are declared in the kernel. Arrays whose sizes the launch determines are parameters in OpenCL; in CUDA
//! they lie one after the other in the memory that the launch gives each group.

use warpwise_imp::{Group, KernelParam, LocalArray, Mem, Operand, Space};
use warpwise_prim::ScalarType;
use warpwise_runtime::device::LocalSize;

use super::dialect::Dialect;
use super::printer::{Printed, Printer};

/// Alignment in bytes of the arrays of a CUDA kernel whose sizes the launch determines.
pub const LOCAL_WORD: usize = 8;

impl Printer<'_> {
    /// Declares the group's number, the work-item's number in the group, and the arrays of the group. There are as many groups as
    /// iterations.
    pub fn group(&mut self, group: &Group) {
        let (lo, hi) = (self.reg(self.kernel.lo), self.reg(self.kernel.hi));
        let (number, own, item) =
            (self.dialect.group(), self.dialect.work_item_of_group(), self.reg(group.item));
        self.line(&format!("long {lo} = first + {number}, {hi} = {lo} + 1;"));
        self.line(&format!("long {item} = {own};"));
        for array in &group.local {
            if let Some(count) = array.count.as_int() {
                let (space, ty) = (self.dialect.local_array(), self.dialect.ty(array.elem));
                self.line(&format!("{space} {ty} {}[{}];", self.mem(array.mem), count.max(1)));
            }
        }
        if self.dialect == Dialect::Cuda {
            self.shared_arrays(group);
        }
    }

    /// Divides the memory that a launch gives each group into arrays.
    fn shared_arrays(&mut self, group: &Group) {
        let word = self.dialect.ty(ScalarType::I64);
        let mut start = "shared".to_string();
        for (i, array) in sized_by_launch(group).enumerate() {
            if i == 0 {
                self.line(&format!("extern __shared__ {word} shared[];"));
            }
            let (ty, name) = (self.dialect.ty(array.elem), self.mem(array.mem));
            self.line(&format!("{ty} *{name} = ({ty} *)({start});"));
            let (count, size) = (self.operand(array.count), array.elem.bytes());
            start += &format!(" + ({count} * {size} + {}) / {LOCAL_WORD}", LOCAL_WORD - 1);
        }
    }

    /// Returns the parameters of an OpenCL kernel for arrays whose sizes the launch determines.
    pub fn local_params(&self) -> Vec<String> {
        let space = self.dialect.space(Space::Local);
        let arrays = self.kernel.group.iter().flat_map(sized_by_launch);
        arrays
            .map(|array| format!("{space} {} *{}", self.dialect.ty(array.elem), self.mem(array.mem)))
            .collect()
    }

    /// Returns the parameters from which a launch computes the sizes of arrays.
    pub fn local_sizes(&self) -> Printed<Vec<LocalSize>> {
        let arrays = self.kernel.group.iter().flat_map(sized_by_launch);
        arrays.map(|array| self.local_size(array)).collect()
    }

    fn local_size(&self, array: &LocalArray) -> Printed<LocalSize> {
        let is_count = |param: &KernelParam| matches!(param, KernelParam::Scalar(reg) if Operand::Reg(*reg) == array.count);
        match self.kernel.params.iter().position(is_count) {
            Some(count) => Ok(LocalSize { count, element: array.elem.bytes() as u64 }),
            None => self.bug("the size of an array in local memory is no parameter"),
        }
    }

    /// Returns the type that an array in local memory is declared with, or `None` for other memories.
    pub fn declared(&self, mem: Mem) -> Option<ScalarType> {
        let arrays = self.kernel.group.iter().flat_map(|group| &group.local);
        arrays.into_iter().find(|array| array.mem == mem).map(|array| array.elem)
    }
}

fn sized_by_launch(group: &Group) -> impl Iterator<Item = &LocalArray> {
    group.local.iter().filter(|array| array.known_bytes().is_none())
}
