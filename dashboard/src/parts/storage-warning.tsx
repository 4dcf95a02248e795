/**
 * Warns at the top of the dashboard while the server cannot store events, and before its disk is full. Also while its copy
 * of a stream may lack newer events.
 */
import type { Health } from '../api.ts';
import { health, isHealthKnown } from '../figures.ts';
import { bytes } from '../format.ts';

/** Faults that a user can name without the contract. */
const FAULTS: Readonly<Record<string, string>> = {
  storage_full: 'its disk is full',
  read_only: 'its file is read-only',
  storage_busy: 'another process holds its file',
  storage_corrupt: 'its file is corrupt',
};

export function StorageWarning() {
  const at = health.value;
  const text = at === null || !isHealthKnown.value ? undefined : warningOf(at);
  if (text === undefined) return null;
  return (
    <p class="panel warning" role="alert">
      {text}
    </p>
  );
}

/** Returns the sentences to show; `undefined` while storage is well. */
function warningOf({ reason, cluster, disk_low: isLow, disk_free_bytes: free }: Health): string | undefined {
  const remedy = 'Free some space, delete sessions, or limit what the server keeps (--retain-bytes).';
  if (reason !== undefined) {
    const cause = `The server stores no events: ${FAULTS[reason] ?? reason}.`;
    return reason === 'storage_full' ? `${cause} ${remedy}` : cause;
  }
  if (cluster !== undefined && cluster.failure !== null)
    return `Newer events may be missing: this server does not follow its stream (${cluster.failure}).`;
  return isLow ? `The server's disk is almost full: ${bytes(free)} are free. ${remedy}` : undefined;
}
