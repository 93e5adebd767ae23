//! The default byte budget: 80 % of the memory this process may use.
//!
//! A control group's limit holds for all groups below it. `/proc/self/cgroup` names the group of the process.
//! `/proc/self/mountinfo` tells where the groups of each version are mounted, and which group is the root of the mount.

use std::path::{Path, PathBuf};

/// Returns 80 % of physical memory, or of the lowest limit of the control groups that the process is in.
///
/// If neither can be determined, the budget is 1 GiB.
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

/// Returns the resident memory of the process in bytes, or `None` if it cannot be determined.
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

/// Returns the lowest memory limit of the control groups of this process.
fn control_group_limit() -> Option<u64> {
    let read = |path: &Path| std::fs::read_to_string(path).ok();
    let groups = read(Path::new("/proc/self/cgroup"))?;
    let mounts = read(Path::new("/proc/self/mountinfo"))?;
    group_limit(&groups, &mounts, &read)
}

/// Returns the lowest limit of the groups listed in `groups` (as in `/proc/self/cgroup`) and of their ancestors, or `None` if
/// there is no limit.
fn group_limit(groups: &str, mounts: &str, read: &dyn Fn(&Path) -> Option<String>) -> Option<u64> {
    let mut lowest: Option<u64> = None;
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(group)) = (parts.next(), parts.next()) else { continue };
        // In version 2 all controllers share the groups.
        let (kind, option, file) = match controllers {
            "" => ("cgroup2", None, "memory.max"),
            several if several.split(',').any(|name| name == "memory") => {
                ("cgroup", Some("memory"), "memory.limit_in_bytes")
            }
            _ => continue,
        };
        let Some((root, mounted)) = mounts.lines().find_map(|line| mount(line, kind, option)) else {
            continue;
        };
        // Groups above the root of the mount are invisible. So are the limits of a group outside of that root.
        let below = Path::new(group).strip_prefix(&root).unwrap_or(Path::new(""));
        for group in below.ancestors() {
            let limit = read(&mounted.join(group).join(file)).and_then(|text| text.trim().parse().ok());
            // "max", and in version 1 a number beyond all memory, mean no limit.
            lowest = [lowest, limit].into_iter().flatten().min();
        }
    }
    lowest
}

/// Parses the root and the mount point from a line of `/proc/self/mountinfo` if the mount is of this kind with this option.
fn mount(line: &str, kind: &str, option: Option<&str>) -> Option<(String, PathBuf)> {
    let (mount, file_system) = line.split_once(" - ")?;
    let mut mount = mount.split(' ').skip(3);
    let (root, place) = (mount.next()?, mount.next()?);
    let mut file_system = file_system.split(' ');
    let found = file_system.next()? == kind;
    let options = file_system.nth(1).unwrap_or("");
    let has_option = option.is_none_or(|option| options.split(',').any(|name| name == option));
    (found && has_option).then(|| (unescaped(root), PathBuf::from(unescaped(place))))
}

/// Decodes the characters that `/proc/self/mountinfo` writes as octal numbers, because they separate its fields.
fn unescaped(path: &str) -> String {
    [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")]
        .iter()
        .fold(path.to_string(), |path, (escape, character)| path.replace(escape, character))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::group_limit;

    /// Returns the limit for files with these contents.
    fn limit(groups: &str, mounts: &str, files: &[(&str, &str)]) -> Option<u64> {
        let read = |path: &Path| {
            let found = files.iter().find(|(name, _)| Path::new(name) == path);
            found.map(|(_, text)| format!("{text}\n"))
        };
        group_limit(groups, mounts, &read)
    }

    const V2: &str = "24 1 0:22 / /proc rw - proc proc rw\n\
        30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
    const V1: &str = "31 24 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n\
        32 24 0:28 / /sys/fs/cgroup/memory rw shared:9 - cgroup cgroup rw,memory\n";

    #[test]
    fn the_lowest_limit_on_the_way_to_the_root_counts() {
        let files = [
            ("/sys/fs/cgroup/a/memory.max", "3000"),
            ("/sys/fs/cgroup/a/b/memory.max", "5000"),
            ("/sys/fs/cgroup/a/b/c/memory.max", "max"),
            ("/sys/fs/cgroup/d/memory.max", "1"),
        ];
        assert_eq!(limit("0::/a/b/c\n", V2, &files), Some(3000));
        assert_eq!(limit("0::/a/b/c\n", V2, &files[1..]), Some(5000));
        assert_eq!(limit("0::/a/b/c\n", V2, &files[2..]), None);
        assert_eq!(limit("0::/\n", V2, &[("/sys/fs/cgroup/memory.max", "7")]), Some(7));
        assert_eq!(limit("", V2, &files), None);
        assert_eq!(limit("0::/a\n", "", &files), None);
    }

    #[test]
    fn mount_points_may_have_spaces() {
        let mounts = V2.replace("/sys/fs/cgroup", "/my\\040groups");
        assert_eq!(limit("0::/a\n", &mounts, &[("/my groups/a/memory.max", "9")]), Some(9));
    }

    #[test]
    fn groups_of_the_first_version_count() {
        let files = [
            ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712"),
            ("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "4000"),
            ("/sys/fs/cgroup/cpu/job/memory.limit_in_bytes", "1"),
        ];
        let groups = "4:cpu,cpuacct:/job\n3:memory:/job/step\n1:name=systemd:/x\n0::/y\n";
        assert_eq!(limit(groups, V1, &files), Some(4000));
        // Both versions at once.
        let both = [&files[..], &[("/sys/fs/cgroup/y/memory.max", "300")]].concat();
        assert_eq!(limit(groups, &format!("{V1}{V2}"), &both), Some(300));
    }

    #[test]
    fn what_a_container_sees_is_below_its_own_root() {
        let mounts = V2.replace(" / /sys/fs/cgroup", " /docker/x /sys/fs/cgroup");
        let files = [("/sys/fs/cgroup/memory.max", "800"), ("/sys/fs/cgroup/job/memory.max", "900")];
        assert_eq!(limit("0::/docker/x/job\n", &mounts, &files), Some(800));
        assert_eq!(limit("0::/docker/x/job\n", &mounts, &files[1..]), Some(900));
        assert_eq!(limit("0::/elsewhere\n", &mounts, &files), Some(800));
    }

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
