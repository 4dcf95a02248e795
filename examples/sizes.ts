/**
 * `pnpm examples:sizes`: measures the parts of an installer, and prints them as a table.
 *
 * A part is measured as files, and compressed with zstd at level 19 as an archive of its files. Installers compress
 * with zstd, LZMA or similar, so this is near to what a part adds to a download.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { constants, zstdCompressSync } from 'node:zlib';
import { answerHelp } from '@twin-ingest/testkit/process/usage.ts';
import { ROOT, TARGETS } from '@twin-ingest/testkit/servers/targets.ts';

interface Part {
  readonly label: string;
  readonly files: readonly string[];
}

answerHelp(`Usage: pnpm examples:sizes

Measures the built servers, this Node and, if it is built, the Tauri window. Prints a table in Markdown.
Exit code: 0 measured, 1 a server is not built.
`);

const DIST = dirname(TARGETS.ts.artefact);
const WINDOW = join(ROOT, 'target/tauri/release/ingest-app');

if (![TARGETS.rs.artefact, TARGETS.ts.artefact].every((path) => existsSync(path))) {
  process.stderr.write('sizes: build the servers first: pnpm build\n');
  process.exit(1);
}
const { files } = JSON.parse(readFileSync(join(DIST, 'deployed.json'), 'utf8')) as {
  files: { path: string }[];
};
const node: Part = { label: `Node ${process.versions.node}`, files: [process.execPath] };
const typescript: Part = {
  label: 'TypeScript server',
  files: files.map(({ path }) => join(DIST, path)),
};
const parts: readonly Part[] = [
  { label: 'Rust server', files: [TARGETS.rs.artefact] },
  typescript,
  node,
  { label: 'TypeScript server with Node', files: [...typescript.files, ...node.files] },
  ...(existsSync(WINDOW) ? [{ label: 'Tauri window, without a server', files: [WINDOW] }] : []),
];
process.stdout.write('| part | MB | MB, zstd -19 |\n| --- | ---: | ---: |\n');
for (const { label, files } of parts) {
  const bytes = Buffer.concat(files.map((path) => readFileSync(path)));
  const packed = zstdCompressSync(bytes, {
    params: {
      [constants.ZSTD_c_compressionLevel]: 19,
      // A window of 128 MiB, as archives of that size use.
      [constants.ZSTD_c_windowLog]: 27,
    },
  });
  process.stdout.write(`| ${label} | ${megabytes(bytes.length)} | ${megabytes(packed.length)} |\n`);
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
