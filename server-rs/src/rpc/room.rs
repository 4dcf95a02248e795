//! Chooses the capacity of a long text, so that the allocator returns its memory to the system at once.
//!
//! glibc gives a block above 32 MiB a mapping of its own. After it frees a shorter block with a mapping, it raises
//! its thresholds and keeps more memory (mallopt(3), `M_MMAP_THRESHOLD`). Unused pages cost nothing.

/// A text up to this size gets its exact length, since it keeps little memory.
const SHORT_BYTES: usize = 8 << 20;
/// Least capacity for a longer text; it is above `DEFAULT_MMAP_THRESHOLD_MAX`.
const MAPPED_BYTES: usize = 33 << 20;

/// Returns the capacity for a text of this length.
pub(crate) fn room_for(length: usize) -> usize {
    if length > SHORT_BYTES { length.max(MAPPED_BYTES) } else { length }
}
