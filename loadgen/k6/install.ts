/**
 * `pnpm k6:install`: builds the k6 that this repository measures with, into a folder that git ignores.
 *
 * It needs Go, and does nothing when the right version is already there. Nothing else in the repository builds k6, and
 * only commands that use k6 need it.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { answerHelp } from '@twin-ingest/testkit/process/usage.ts';
import { findK6, K6_FOLDER, K6_VERSION } from '../src/load/drivers/find.ts';

const BINARY = `${K6_FOLDER}/k6`;

answerHelp(`Usage: pnpm k6:install

Builds the k6 that pnpm bench:soak runs on. Needs Go. Does nothing when that version is there already.
`);
process.exitCode = install();

function install(): number {
  if (isInstalled()) return say(0, `k6 ${K6_VERSION} is there already: ${BINARY}`);
  if (spawnSync('go', ['version']).status !== 0) {
    const advice = 'Install Go (https://go.dev/doc/install), or set K6_BIN to a k6 that you have.';
    return say(1, `Building k6 needs Go, and \`go version\` does not run. ${advice}`);
  }
  say(0, `Building k6 ${K6_VERSION} with Go: some minutes, and a gigabyte or more of Go's caches.`);
  mkdirSync(K6_FOLDER, { recursive: true });
  const { status } = spawnSync('go', ['install', `go.k6.io/k6@v${K6_VERSION}`], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, GOBIN: K6_FOLDER },
  });
  return isInstalled()
    ? say(0, `k6 ${K6_VERSION} is built: ${BINARY}`)
    : say(1, `k6 ${K6_VERSION} could not be built (go install ended with ${status}).`);
}

function isInstalled(): boolean {
  return findK6({ ...process.env, K6_BIN: BINARY })?.version === K6_VERSION;
}

function say(code: number, line: string): number {
  process.stderr.write(`${line}\n`);
  return code;
}
