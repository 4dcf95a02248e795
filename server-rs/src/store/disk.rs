//! Reads how full the disk of a file is, and whether the file may be written (rules HEA-02 and HEA-04).

use std::path::Path;

use rustix::fs::{Access, access, statvfs};

use crate::contract::LIMITS;

/// The space of a disk, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is said by its name")]
pub struct DiskSpace {
    pub free_bytes: u64,
    pub size_bytes: u64,
}

impl DiskSpace {
    /// Returns whether the dashboard warns: little of the disk is free (rule HEA-04).
    pub fn is_low(self) -> bool {
        self.free_bytes < LIMITS.disk_low_bytes.min(self.size_bytes / LIMITS.disk_low_share)
    }

    /// Returns whether the disk has no room for a write.
    pub fn is_full(self) -> bool {
        self.free_bytes < LIMITS.disk_full_bytes
    }
}

/// Returns the space of the disk that holds a file; `None` when the system does not report it. The reserve of the root
/// user does not count as free.
pub fn read_disk(path: &Path) -> Option<DiskSpace> {
    let space = statvfs(path).ok()?;
    let bytes = |blocks: u64| blocks.saturating_mul(space.f_frsize);
    Some(DiskSpace { free_bytes: bytes(space.f_bavail), size_bytes: bytes(space.f_blocks) })
}

/// Returns whether the system lets this process write a file. It does not on a read-only file system, and for an
/// immutable file.
pub fn is_writable(path: &Path) -> bool {
    access(path, Access::WRITE_OK).is_ok()
}
