/** DATA: the programs that compare revisions, one of each language, and how they are built. A seam for tests. */
import { fileURLToPath } from 'node:url';
import type { Buildable } from '@twin-ingest/testkit/servers/build.ts';
import { TARGETS, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';

export interface ComparisonProgram extends Buildable {
  readonly command: string;
  readonly args: readonly string[];
}

export type ComparisonPrograms = Readonly<Record<TargetName, ComparisonProgram>>;

const RS_EXAMPLE = TARGETS.rs.artefact.replace(/[^/]+$/, 'examples/compare_revisions');
const TS_SOURCE = fileURLToPath(new URL('./compare-revisions-main.ts', import.meta.url));

export const COMPARISON_PROGRAMS: ComparisonPrograms = {
  rs: {
    command: RS_EXAMPLE,
    args: [],
    artefact: RS_EXAMPLE,
    sources: ['server-rs/examples/compare_revisions.rs', 'Cargo.lock'],
    build: 'rust:compare',
  },
  ts: { command: process.execPath, args: [TS_SOURCE], artefact: TS_SOURCE, sources: [], build: null },
};
