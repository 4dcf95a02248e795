/** The fake servers as targets. Nothing has to be built: the program is its own artefact, and it has no sources. */
import { fileURLToPath } from 'node:url';
import { TARGETS, type Target, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { BenchFailure, type FailureCode } from '../src/failure.ts';

const PROGRAM = fileURLToPath(new URL('./fake-server.ts', import.meta.url));

/** Returns both servers. A fault such as `rs:lose-one` makes one of them faulty. */
export function fakeTargets(fault = ''): Readonly<Record<TargetName, Target>> {
  const [faulty, kind] = fault.split(':');
  const fake = (name: TargetName): Target => ({
    ...TARGETS[name],
    command: process.execPath,
    args: [PROGRAM, `--fault=${name === faulty ? kind : 'none'}`],
    artefact: PROGRAM,
    sources: [],
    hasOtherBuilds: false,
    hasNoPrices: true,
  });
  return { rs: fake('rs'), ts: fake('ts') };
}

/** Returns a check of a failure with this code, whose message and details match the text. */
export function failsWith(code: FailureCode, text: RegExp) {
  return (error: unknown) =>
    error instanceof BenchFailure &&
    error.code === code &&
    text.test([error.message, ...error.details].join('\n'));
}
