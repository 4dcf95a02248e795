/**
 * `pnpm release:collect`: checks that `dist/` holds a tarball for each package of a release, and writes SHA256SUMS.
 *
 * Each platform's machine has made its own tarball. A release without one of them would install a `twin-ingest` that
 * falls back to the TypeScript server.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { answerHelp } from '@twin-ingest/testkit/process/usage.ts';
import { writeChecksums } from './checksums.ts';
import { common, OUT } from './npm-packages.ts';
import { PLATFORMS } from './platforms.ts';

answerHelp(`Usage: pnpm release:collect

Checks that dist/ holds every tarball of a release, and writes SHA256SUMS.
`);

const { version } = common();
const files = [
  ...PLATFORMS.map(({ name }) => `twin-ingest-server-${name}-${version}.tgz`),
  `twin-ingest-client-${version}.tgz`,
  `twin-ingest-bench-${version}.tgz`,
  `twin-ingest-${version}.tgz`,
  `ingest-server-${version}.crate`,
];
const missing = files.filter((file) => !existsSync(join(OUT, file)));
for (const file of missing) process.stderr.write(`release:collect: dist/${file} is missing\n`);
if (missing.length === 0) writeChecksums(OUT);
else process.exitCode = 1;
