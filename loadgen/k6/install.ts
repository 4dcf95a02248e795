/**
 * `pnpm k6:install`: builds the k6 that this repository measures with, into a folder that git ignores.
 *
 * It needs Go, and does nothing when the right version is already there. Nothing else in the repository builds k6, and
 * only commands that use k6 need it.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { answerHelp } from '@twin-ingest/testkit/process/usage.ts';
import { findK6, K6_FOLDER, K6_VERSION } from '../src/load/drivers/find.ts';

const K6_BINARY = `${K6_FOLDER}/k6`;

answerHelp(`Usage: pnpm k6:install

Builds the k6 that pnpm bench:soak runs on. Needs Go. Does nothing when that version is there already.
`);
process.exitCode = await install();

/** Returns the k6 of the folder, whatever else is on PATH. */
function installed() {
  return findK6({ ...process.env, K6_BIN: K6_BINARY });
}

async function install(): Promise<number> {
  if (installed()?.version === K6_VERSION) {
    say(`k6 ${K6_VERSION} is there already: ${K6_BINARY}`);
    return 0;
  }
  if (spawnSync('go', ['version']).status !== 0) {
    say(
      'Building k6 needs Go, and `go version` does not run. Install Go (https://go.dev/doc/install), or set',
    );
    say('K6_BIN to a k6 that you have.');
    return 1;
  }
  say(`Building k6 ${K6_VERSION} with Go: some minutes, and a gigabyte or more of Go's caches.`);
  mkdirSync(K6_FOLDER, { recursive: true });
  const from = performance.now();
  const code = await build();
  const found = installed();
  if (code !== 0 || found?.version !== K6_VERSION) {
    say(`k6 ${K6_VERSION} could not be built (go install ended with ${code}).`);
    return 1;
  }
  say(`k6 ${K6_VERSION} built in ${Math.round((performance.now() - from) / 1000)} s: ${K6_BINARY}`);
  return 0;
}

/**
 * Runs `go install` and returns its exit code; `null` when it cannot start, or when a signal ends it. Ctrl-C in a
 * terminal also ends it.
 */
function build(): Promise<number | null> {
  return new Promise((resolve) => {
    const child = spawn('go', ['install', `go.k6.io/k6@v${K6_VERSION}`], {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, GOBIN: K6_FOLDER },
    });
    child.once('error', () => resolve(null));
    child.once('close', resolve);
  });
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
