//! Tests whether two accesses may overlap, in one iteration or in two different ones.

use super::{Access, Clash, Kind, Walk};
use crate::entity::Entity;
use crate::expr::{LoopForm, Stm};
use crate::facts::Context;
use crate::program::Var;
use crate::regions::{Region, are_disjoint};
use crate::segop::SegDim;
use crate::sums::Sum;
use crate::types::Operand;

/// The iteration that writes, as seen from the one that reads.
pub(super) enum Other<'s> {
    /// Any iteration, including the reading one.
    Any,
    /// An iteration at another point.
    Point(&'s [SegDim]),
    /// An earlier iteration.
    Later(&'s LoopForm),
}

/// The assumptions about the two iterations: indices that are equal in both, and one that differs. The flag tells whether that
/// index is greater in the reading iteration (or in the writing one).
struct Case {
    equal: Vec<Var>,
    differs: Option<(Var, bool)>,
}

impl Other<'_> {
    fn cases(&self) -> Vec<Case> {
        match self {
            Other::Any | Other::Later(LoopForm::While { .. }) => vec![Case { equal: vec![], differs: None }],
            Other::Later(LoopForm::For { index, .. }) => {
                vec![Case { equal: vec![], differs: Some((*index, true)) }]
            }
            Other::Point(space) => {
                // A dimension of extent 1 has no other point.
                let dims = space.iter().filter(|dim| dim.extent != Operand::i64(1));
                let indices: Vec<Var> = dims.map(|dim| dim.index).collect();
                let case = |number: usize, greater: bool| Case {
                    equal: indices[..number].to_vec(),
                    differs: Some((indices[number], greater)),
                };
                (0..indices.len()).flat_map(|number| [case(number, false), case(number, true)]).collect()
            }
        }
    }
}

impl<'a> Walk<'a, '_> {
    /// Returns whether two accesses of one iteration may overlap.
    pub(super) fn may_meet(&self, x: &Access, y: &Access) -> bool {
        !self.are_apart(x, y, &|var| var, None)
    }

    /// Checks that no iteration reads what another one writes. `start` is the time at which the operation or loop began.
    pub(super) fn no_clash(&mut self, stm: &'a Stm, accesses: &[Access], start: u32, other: &Other) {
        let reads = accesses.iter().filter(|access| access.kind == Kind::Read);
        for read in reads {
            let spoils = |write: &&Access| {
                write.kind != Kind::Read
                    && write.block == read.block
                    && !write.belongs_to(read.root)
                    && !self.are_apart_elsewhere(read, write, start, other)
            };
            if let Some(write) = accesses.iter().find(spoils) {
                self.found.push(Clash { stm, read: read.array, written: write.array });
                return;
            }
        }
    }

    fn are_apart_elsewhere(&self, read: &Access, write: &Access, start: u32, other: &Other) -> bool {
        // Different points write different elements of the results.
        let own_point = matches!(other, Other::Point(_)) && write.kind == Kind::WriteLast;
        if own_point && read.region.is_some() && read.region == write.region {
            return true;
        }
        let apart = |case: &Case| {
            let name = |var: Var| match self.bound[var] > start && !case.equal.contains(&var) {
                true => self.elsewhere(var),
                false => var,
            };
            let differs = case.differs.and_then(|(index, greater)| {
                let (here, there) = (Sum::var(index), Sum::var(self.elsewhere(index)));
                let (more, less) = if greater { (here, there) } else { (there, here) };
                more.minus(&less)?.minus(&Sum::constant(1))
            });
            self.are_apart(read, write, &name, differs)
        };
        other.cases().iter().all(apart)
    }

    /// Returns the name that a variable has in another iteration.
    fn elsewhere(&self, var: Var) -> Var {
        Var::new(self.function.vars.len() + var.index())
    }

    /// Returns whether two accesses provably never overlap, where variables of the second have other names and the sum `more` is
    /// not negative.
    fn are_apart(&self, x: &Access, y: &Access, name: &impl Fn(Var) -> Var, more: Option<Sum>) -> bool {
        if self.function.ty(x.array).elem() != self.function.ty(y.array).elem() {
            return false;
        }
        let Some((x_region, y_region)) = x.region.as_ref().zip(y.region.as_ref()) else { return false };
        let are_apart = |x_region: &Region, y_region: &Region| {
            self.regions_are_apart((x, x_region), (y, y_region), name, more.as_ref())
        };
        let (x_cases, y_cases) = (self.facts.cases(x_region), self.facts.cases(y_region));
        let has_cases = x_cases.len() + y_cases.len() > 2;
        let apart_in = |x_region: &Region| y_cases.iter().all(|y_region| are_apart(x_region, y_region));
        are_apart(x_region, y_region) || has_cases && x_cases.iter().all(apart_in)
    }

    fn regions_are_apart(
        &self,
        (x, x_region): (&Access, &Region),
        (y, y_region): (&Access, &Region),
        name: &impl Fn(Var) -> Var,
        more: Option<&Sum>,
    ) -> bool {
        let n_vars = self.function.vars.len();
        let original = |var: Var| if var.index() < n_vars { var } else { Var::new(var.index() - n_vars) };
        let as_is = |var: Var| var;
        let Some(y_region) = y_region.renamed(name) else { return false };
        let shape = |array: Var| {
            let shape = self.function.ty(array).shape();
            shape.iter().filter_map(|&size| self.facts.sum(size)).collect::<Vec<Sum>>()
        };
        let mut sizes = shape(x.array);
        sizes.extend(shape(y.array).iter().filter_map(|size| size.renamed(name)));
        let extents =
            |region: &Region| region.dims.iter().map(|(extent, _)| extent.clone()).collect::<Vec<Sum>>();
        let extents = [extents(x_region), extents(&y_region)].concat();
        let mut context = Context::new(self.facts, sizes.clone(), extents);
        // A condition that is not learnt only makes fewer proofs succeed.
        x.certs.iter().for_each(|&cert| _ = context.learn_condition(cert.into(), &as_is));
        y.certs.iter().for_each(|&cert| _ = context.learn_condition(cert.into(), name));
        let sums = x_region.sums().chain(y_region.sums()).chain(&sizes).chain(more);
        let sums: Vec<Sum> = sums.cloned().collect();
        sums.iter().for_each(|sum| context.learn_ranges(sum, &original, name));
        more.into_iter().for_each(|sum| context.know(sum.clone()));
        are_disjoint(context.bounds(), x_region, &y_region)
    }
}
