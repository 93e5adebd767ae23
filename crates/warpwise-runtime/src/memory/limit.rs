//! The default byte budget: 80 % of the memory this process may use.

/// 80 % of physical memory, or of the control group's limit where that is lower.
///
/// Where neither can be found out the budget is 1 GiB.
pub fn default_limit() -> u64 {
    let physical = physical_memory();
    let group = control_group_limit();
    let available = match (physical, group) {
        (Some(physical), Some(group)) => physical.min(group),
        (Some(known), None) | (None, Some(known)) => known,
        (None, None) => return 1 << 30,
    };
    available / 5 * 4
}

/// How many bytes of memory the process has now, in pages that it has touched; none where that cannot be found out.
pub fn resident() -> Option<u64> {
    let sizes = std::fs::read_to_string("/proc/self/statm").ok()?;
    sizes.split(' ').nth(1)?.parse::<u64>().ok()?.checked_mul(page()?)
}

#[cfg(unix)]
fn page() -> Option<u64> {
    // SAFETY: `sysconf` only reads its argument.
    u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()
}

#[cfg(not(unix))]
fn page() -> Option<u64> {
    None
}

#[cfg(unix)]
fn physical_memory() -> Option<u64> {
    // SAFETY: `sysconf` only reads its argument.
    let pages = unsafe { libc::sysconf(libc::_SC_PHYS_PAGES) };
    u64::try_from(pages).ok()?.checked_mul(page()?).filter(|&bytes| bytes > 0)
}

#[cfg(not(unix))]
fn physical_memory() -> Option<u64> {
    None
}

/// What a container may use; "max" or no such file means no limit.
fn control_group_limit() -> Option<u64> {
    std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    #[test]
    #[cfg(target_os = "linux")]
    fn memory_that_is_touched_counts() {
        let touched = std::hint::black_box(vec![1u8; 64 << 20]);
        let resident = super::resident().unwrap();
        assert!(resident >= touched.len() as u64, "{resident}");
    }

    #[test]
    fn the_default_is_plausible() {
        let limit = super::default_limit();
        assert!(limit >= 64 << 20, "{limit}");
        assert!(limit < 1 << 50, "{limit}");
    }
}
