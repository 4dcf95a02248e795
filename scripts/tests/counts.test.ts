/** Tests which calls of a system call trace are counted. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileCountsOf } from '../counts/file-calls.ts';

const TRACE = `pwrite64(5</t/rs/events.db-wal>, ""..., 24, 32) = 24
pwrite64(5</t/rs/events.db-wal>, ""..., 4096, 56) = 4096
pread64(4</t/rs/events.db>, ""..., 16, 24) = 16
pwrite64(4</t/rs/events.db>, ""..., 4096, 8192) = 4096
fdatasync(4</t/rs/events.db>) = 0
pread64(4</t/rs/events.db>, ""..., 16, 24) = -1 EINTR (Interrupted system call)
write(1<pipe:[77]>, ""..., 90) = 90
read(9</t/rs/other.db-wal>, ""..., 4096) = 4096
`;

test('calls on the database, log bytes and pages are counted, other files are not', () => {
  assert.deepEqual(fileCountsOf(TRACE), { calls: 6, log_bytes: 4120, pages: 1 });
});
