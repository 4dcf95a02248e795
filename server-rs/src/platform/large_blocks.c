/*
 * Makes glibc give every block of 1 MiB or more a mapping of its own, which the system gets back at once.
 *
 * By default glibc raises this threshold up to 32 MiB, after it has freed a block of that size. Rows with megabytes of
 * metadata then stay in the memory of each thread that has read one (mallopt(3), decision 111). This is C because SQLite
 * allocates such blocks too, and because Rust would call mallopt with unsafe code.
 */
#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>

/* With a fixed threshold, glibc keeps this fixed too. Its default of 128 KiB costs a system call for most requests. */
#define KEPT_BYTES (4 << 20)

__attribute__((constructor)) static void large_blocks(void)
{
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
}
#endif
