/** Gives a server a clock that a test sets, by libfaketime. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import type { ScenarioContext } from './scenario.ts';

const LIBRARY = 'faketime/libfaketimeMT.so.1';
/** Returns a file with the offset of a server's clock, and the variables of such a server. */
export function fakeClock(context: ScenarioContext): {
  readonly clock: string;
  readonly env: Record<string, string>;
} {
  const library = ['/usr/lib', ...readdirSync('/usr/lib').map((name) => `/usr/lib/${name}`)]
    .map((folder) => `${folder}/${LIBRARY}`)
    .find((path) => existsSync(path));
  if (library === undefined) context.skip('faketime is not installed');
  const clock = context.db('clock');
  writeFileSync(clock, '+0');
  const env = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: clock,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    NO_FAKE_STAT: '1',
  };
  return { clock, env };
}
