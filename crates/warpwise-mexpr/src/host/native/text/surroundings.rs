//! The text that all modules share: reference counting, allocation from free lists, intrinsics.

use super::super::super::object::CLASSES;
use super::super::super::value::tags;
use super::super::runtime::Helper;
use super::context::{HEAP, TABLE};

/// Returns the text.
pub(super) fn text() -> String {
    let helper = |helper: Helper| {
        format!(
            "  %table.place = getelementptr i8, ptr %context, i64 {TABLE}
  %table = load ptr, ptr %table.place
  %helper.place = getelementptr ptr, ptr %table, i64 {}
  %helper = load ptr, ptr %helper.place",
            helper as usize
        )
    };
    let (take, bury) = (helper(Helper::Take), helper(Helper::Bury));
    let (retain, release) = (helper(Helper::Retain), helper(Helper::Release));
    let n_live = 8 * (CLASSES + 1);
    let (record, con, first_shared) = (tags::RECORD, tags::CON, tags::FIRST_SHARED);
    format!(
        "
@zero = internal constant i64 0

define internal ptr @take(ptr %context, i64 %n) alwaysinline {{
  %heap.place = getelementptr i8, ptr %context, i64 {HEAP}
  %heap = load ptr, ptr %heap.place
  %list = getelementptr ptr, ptr %heap, i64 %n
  %first = load ptr, ptr %list
  %none = icmp eq ptr %first, null
  br i1 %none, label %slow, label %fast, !prof !0
slow:
  %taken = call ptr @take_slowly(ptr %context, i64 %n)
  ret ptr %taken
fast:
  %next = load ptr, ptr %first
  store ptr %next, ptr %list
  %live.place = getelementptr i8, ptr %heap, i64 {n_live}
  %live = load i64, ptr %live.place
  %more = add i64 %live, 1
  store i64 %more, ptr %live.place
  ret ptr %first
}}

define internal ptr @take_slowly(ptr %context, i64 %n) noinline {{
{take}
  %block = call ptr %helper(i64 %n, ptr %context)
  ret ptr %block
}}

define internal void @retain(ptr %block) alwaysinline {{
  %count = load i64, ptr %block
  %more = add i64 %count, 1
  store i64 %more, ptr %block
  ret void
}}

define internal void @release(ptr %context, ptr %block) alwaysinline {{
  %count = load i64, ptr %block
  %last = icmp eq i64 %count, 1
  br i1 %last, label %dead, label %alive
dead:
  call void @bury(ptr %context, ptr %block)
  ret void
alive:
  %less = sub i64 %count, 1
  store i64 %less, ptr %block
  ret void
}}

define internal void @bury(ptr %context, ptr %block) noinline {{
{bury}
  call void %helper(ptr %block)
  ret void
}}

define internal void @retain_other(ptr %context, i64 %tag, i64 %bits) noinline {{
{retain}
  call void %helper(i64 %tag, i64 %bits)
  ret void
}}

define internal void @release_other(ptr %context, i64 %tag, i64 %bits) noinline {{
{release}
  call void %helper(i64 %tag, i64 %bits)
  ret void
}}

define internal void @retain_any(ptr %context, i64 %tag, i64 %bits) {{
  switch i64 %tag, label %others [ i64 {record}, label %block i64 {con}, label %block ]
block:
  %address = inttoptr i64 %bits to ptr
  call void @retain(ptr %address)
  ret void
others:
  %is_shared = icmp uge i64 %tag, {first_shared}
  br i1 %is_shared, label %shared, label %done
shared:
  call void @retain_other(ptr %context, i64 %tag, i64 %bits)
  ret void
done:
  ret void
}}

define internal void @release_any(ptr %context, i64 %tag, i64 %bits) {{
  switch i64 %tag, label %others [ i64 {record}, label %block i64 {con}, label %block ]
block:
  %address = inttoptr i64 %bits to ptr
  call void @release(ptr %context, ptr %address)
  ret void
others:
  %is_shared = icmp uge i64 %tag, {first_shared}
  br i1 %is_shared, label %shared, label %done
shared:
  call void @release_other(ptr %context, i64 %tag, i64 %bits)
  ret void
done:
  ret void
}}

declare ptr @llvm.addressofreturnaddress.p0()
declare double @llvm.sqrt.f64(double)
declare double @llvm.floor.f64(double)
declare double @llvm.ceil.f64(double)
declare double @llvm.round.f64(double)
declare i64 @llvm.fptosi.sat.i64.f64(double)

!0 = !{{!\"branch_weights\", i32 1, i32 1000000}}
"
    )
}
