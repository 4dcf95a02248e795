//! Says how much memory a long text takes, so that the system gets it back at once.
//!
//! glibc gives what is longer than 32 MiB a mapping of its own. Once it has freed a shorter one that had its own too, it
//! keeps as much for later, several times over (mallopt(3), `M_MMAP_THRESHOLD`). Pages that are not used cost nothing.

/// Up to here a text takes what it needs: that is little to keep.
const SHORT_BYTES: usize = 8 << 20;
/// Above `DEFAULT_MMAP_THRESHOLD_MAX`.
const MAPPED_BYTES: usize = 33 << 20;

/// The capacity for a text of this length.
pub(crate) fn room_for(length: usize) -> usize {
    if length > SHORT_BYTES { length.max(MAPPED_BYTES) } else { length }
}
