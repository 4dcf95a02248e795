/** The processor time of other processes, from /proc. */
import { readFileSync } from 'node:fs';

/** Ticks of a second in /proc, on every Linux that Node supports. */
const TICKS_PER_SECOND = 100;
const USER_TIME = 11;
const SYSTEM_TIME = 12;

/** Returns the seconds that these processes have used so far. */
export function cpuSeconds(pids: readonly (number | undefined)[]): number {
  let ticks = 0;
  for (const pid of pids) {
    if (pid === undefined) continue;
    // The fields after the name of the program, which may have spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    ticks += Number(fields[USER_TIME]) + Number(fields[SYSTEM_TIME]);
  }
  return ticks / TICKS_PER_SECOND;
}
