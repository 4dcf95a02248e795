/**
 * The documents of a result: docs/benchmark-results.md, docs/suites/soak.md, and blocks of README.md and
 * docs/performance.md.
 *
 * Invariants: the same result gives the same bytes, at most 15 KB of them. No winner is written by hand, and the front
 * matter states whether everything was measured.
 */
import TUNING from '../../../contract/tuning.json' with { type: 'json' };
import { ADVICE } from '../analyse/warning.ts';
import { SUITE_NAMES } from '../result/json.ts';
import { headlineOf, measurementNamed, type Result } from '../result/result.ts';
import { choiceOf } from './choice.ts';
import { READING, takenText } from './conditions.ts';
import { formatDuration, group } from './format.ts';
import { markdownLines, markdownSection, markdownTable, markdownText } from './markdown-table.ts';
import { reportOf } from './model.ts';
import { serversIn } from './names.ts';
import { soakPart } from './parts.ts';
import { type Section, tableOf } from './rows.ts';

/** What a complete run has measured. */
const FULL = [
  ...['startup', 'batch', 'autocannon', 'open_1000', 'open_10000', 'single', 'power', 'stream'],
  ...['plain_batch', 'plain_1000', 'plain_10000'],
];

/**
 * Returns docs/benchmark-results.md. `others` are the names of documents below docs/suites. `programs` adds lines,
 * dependencies and build times to design and language.
 */
export function documentOf(
  result: Result,
  others: readonly string[] = SUITE_NAMES,
  programs: readonly ProgramFacts[] = [],
): string {
  const { environment, workload, results, parts, analysis, caveats, warnings } = reportOf(result);
  const [design, ...loads] = parts;
  const isComplete = FULL.every((name) => measurementNamed(result, name) !== undefined);
  const { flags } = result;
  const { bytes, sha256, report_sha256 } = result.raw!;
  const page = report_sha256 === undefined ? '' : ` Its page: sha256 \`${report_sha256}\`.`;
  return joined([
    `---
date: ${result.created_at.slice(0, 10)}
topic: twin-ingest
stage: benchmark-results
status: ${isComplete ? 'complete' : 'partial'}
source: automated
---`,
    '# Twin-Ingest Benchmark Results',
    'For engineers who want to check or repeat the figures of the README. `pnpm results:update` writes this file.',
    ...[environment, workload, results].map((section) => markdownSection(section)),
    ...[withPrograms(design!, programs), ...loads].map((part) => markdownSection(part, '###')),
    ...[analysis, caveats, warnings].map((section) => markdownSection(section)),
    `## Raw Data

The summary: [\`benchmark-results.json\`](../benchmark-results.json), described by [its schema](../loadgen/benchmark-results.schema.json). Each slice and process: \`.bench/benchmark-raw.json\` of the run, ${group(bytes)} bytes, sha256 \`${sha256}\`.${page} The workflow \`bench\` uploads such files. The suites have documents of their own: ${others.map((name) => `[${name}](suites/${name}.md)`).join(', ')}.`,
    `## Reproduction

\`\`\`sh
# Builds both, checks that they answer alike, measures
npx --yes pnpm@12.21.0 bench:compare${flags.length === 0 ? '' : ` -- ${flags.join(' ')}`}

# The workload of the first report
npx --yes pnpm@12.21.0 bench:compare -- --events=20000 --concurrency=40 --batch-size=50

# What maintainers run on committed sources: replaces the committed result, then the documents
npx --yes pnpm@12.21.0 bench:full -- --publish
npx --yes pnpm@12.21.0 results:update
\`\`\``,
  ]);
}

/** Returns the block of docs/performance.md: the headline, and how far its figures can be trusted. */
export function currentSection(result: Result): string {
  const { results, analysis } = reportOf(result);
  const taken = markdownText(takenText(result));
  return [taken, markdownTable(results.table!), markdownLines(analysis.lines)].join('\n\n');
}

/** Returns docs/suites/soak.md: which resources grow during `pnpm bench:soak`. */
export function soakDocument(result: Result): string {
  const soak = measurementNamed(result, 'soak')!;
  const events = soak.audited_events / serversIn(result).length;
  const bytes = TUNING.event_key_filter_bits / 8;
  const { warmup_events, duration_s } = soak.workload!;
  const growth = (((events - warmup_events!) / duration_s!) * 3600 * bytes) / 2 ** 20;
  return joined([
    '# Soak',
    'For operators who ask what grows while a server runs. `pnpm bench:soak` measures it; `pnpm results:update` writes this file from `docs/suites/soak.json`.',
    markdownLines([
      `${soak.title}. Sent by ${soak.driver!.name} ${soak.driver!.version}.`,
      takenText(result),
      `The audit found each of about ${group(Math.round(events))} events per server, and each stream client received all of them.`,
      `Of the RSS below, ${growth.toFixed(0)} MiB/h are filters of ids, which take ${bytes} bytes per accepted id (decision 14).`,
    ]),
    markdownSection(soakPart(result, soak)),
    markdownSection(reportOf(result).warnings),
  ]);
}

/** Lines, dependencies and build time of a server: `pnpm plain:facts`. */
export interface ProgramFacts {
  readonly name: 'rs' | 'ts' | 'plain-rs' | 'plain-ts';
  readonly lines: number;
  readonly sql_lines: number;
  /** `all`: direct and indirect dependencies, each version once. */
  readonly dependencies: { readonly direct: number; readonly all: number };
  /** Wall-clock seconds of one clean build; `null` when not requested, or when the program runs from source. */
  readonly clean_build_s: number | null;
}

/** Returns the section of the README: six rows, one line for each reader, and what limits the figures. */
export function choiceSection(result: Result): string {
  const choice = choiceOf(result);
  if (choice === null) throw new Error('the comparison lacks starts, the closed loop or the open loop');
  const { rounds, batch_size } = headlineOf(result)!.workload!;
  return joined([
    markdownTable(tableOf(result, Object.values(choice), 'ratio', 'meaning')),
    markdownLines(reportOf(result).answers.lines),
    markdownText(
      `${takenText(result)} ${rounds} rounds, batches of ${batch_size} generated events. ${READING}`,
    ),
    limitsText(result),
  ]);
}

/** Returns the part on design and language with the rows of the programs. */
function withPrograms(design: Section, programs: readonly ProgramFacts[]): Section {
  const table = design.table!;
  const isShown = table.rows.length > 0 && programs.length > 0;
  return isShown
    ? { ...design, table: { ...table, rows: [...table.rows, ...programRows(programs)] } }
    : design;
}

/** Returns lines, dependencies and build time of each program, in the columns of the table of designs. */
function programRows(programs: readonly ProgramFacts[]): string[][] {
  const row = (title: string, cell: (facts: ProgramFacts) => string) => [
    title,
    ...['plain-ts', 'ts', 'plain-rs', 'rs'].map((name) => cell(programs.find((one) => one.name === name)!)),
  ];
  return [
    row('Lines of code (and of SQL)', ({ lines, sql_lines }) => `${group(lines)} (${group(sql_lines)})`),
    row('Dependencies, direct (and all)', ({ dependencies: { direct, all } }) => `${direct} (${all})`),
    row('Clean build', ({ clean_build_s: took_s }) => (took_s === null ? 'none' : formatDuration(took_s))),
  ];
}

/** Returns what limits the figures of the section, as one sentence. Warnings of other measurements limit none of them. */
function limitsText(result: Result): string {
  const { placement, environment, measurements, warnings } = result;
  const shown = ['startup', headlineOf(result)?.name, 'open_10000', 'single'];
  const loads = measurements.filter(({ name }) => shown.includes(name));
  const seen = [...warnings, ...loads.flatMap((load) => load.warnings)];
  const shared = `server and load generator shared ${environment.cpu_cores} cores, so CPU time is the sounder figure`;
  const others = seen.filter(({ code }) => ADVICE[code].limits !== null && code !== 'shared_cores');
  const codes = [...new Set(others.map(({ code }) => code))];
  const limits = [
    ...(placement.pinned ? [] : [shared]),
    ...(codes.length === 0
      ? []
      : [
          `the run has the ${codes.length === 1 ? 'warning' : 'warnings'} ${codes.map((code) => `\`${code}\``).join(', ')}`,
        ]),
  ];
  const text = limits.length === 0 ? 'no warning' : limits.join('; ');
  return `What limits these figures: ${text} ([warnings](docs/benchmark-results.md#warnings)).`;
}

function joined(texts: readonly string[]): string {
  return `${texts.filter((text) => text !== '').join('\n\n')}\n`;
}
