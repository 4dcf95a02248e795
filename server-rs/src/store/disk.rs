//! Reads how full the disk of a file is, and whether the file may be written (rules HEA-02 and HEA-04).

use std::path::Path;

use crate::contract::LIMITS;
use crate::platform;

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
    let (free_bytes, size_bytes) = platform::disk_space(path)?;
    Some(DiskSpace { free_bytes, size_bytes })
}

/// Returns whether the system lets this process write a file. It does not on a read-only file system, and for an
/// immutable file.
pub fn is_writable(path: &Path) -> bool {
    platform::is_writable(path)
}
