/**
 * docs/benchmark-results.md: environment, workload, results, analysis, caveats, raw data, reproduction.
 *
 * Invariants: the same result gives the same bytes, at most 15 KB of them. No winner is written by hand, and the text
 * states what was not measured.
 */
import type { Warning } from '../analyse/warning.ts';
import { headlineOf, type Measurement, measurementNamed, type Result } from '../result/result.ts';
import { SUITE_NAMES } from '../result/suite-parts.ts';
import { SMOKE } from '../verify/smoke.ts';
import { commitOf, kindsOf, type NamedWarning, READING, seenText } from './conditions.ts';
import { formatDuration, formatValue, group } from './format.ts';
import { metricTable } from './markdown.ts';
import { bullets, markdownTable, markdownText } from './markdown-table.ts';
import { reportOf } from './model.ts';
import { SHORT_NAMES, serversIn } from './names.ts';
import { isCompared, rowSentence } from './rows.ts';
import { OPEN_READING } from './series.ts';

/** Measurements of a complete run. */
const FULL = ['startup', 'batch', 'open_1000', 'open_10000', 'plain_batch', 'single', 'power', 'stream'];

const MISSING = 'Not measured in this run.';

/** Returns the document. `others` are the names of documents below docs/suites. */
export function documentOf(result: Result, others: readonly string[] = SUITE_NAMES): string {
  const report = reportOf(result);
  const { design, loads, open, drift } = report;
  return `${[
    frontMatter(result),
    '# Twin-Ingest Benchmark Results',
    'For engineers who want to check or repeat the figures of the README. `pnpm results:update` writes this file.',
    '## Environment',
    bullets(environmentLines(result)),
    '## Workload Parameters',
    parameters(headlineOf(result)),
    '## Results',
    metricTable(result, report.headline, ['delta', 'ratio', 'meaning']),
    `${markdownText(READING)}.`,
    `Parity: before the measurement both servers answered ${SMOKE.length} of ${SMOKE.length} requests alike and as the contract asks. ` +
      '`pnpm parity` has all cases and scenarios.',
    '### Other loads',
    loads === null ? MISSING : markdownTable(loads),
    '### Open loop',
    open === null ? MISSING : `${markdownTable(open, [0, 1])}\n\n${OPEN_READING}`,
    '### Design and language',
    design === null
      ? MISSING
      : `${markdownTable(design.table)}\n\n${bullets(design.sentences.map(markdownText))}`,
    ...(drift === null ? [] : ['### Soak', markdownTable(drift)]),
    '## Analysis',
    bullets(
      [...(isCompared(result) ? report.headline.map(rowSentence) : []), ...report.trust].map(markdownText),
    ),
    '## Caveats',
    bullets(report.caveats.map(markdownText)),
    '### Warnings',
    warningLines(report.warnings),
    '## Raw Data',
    rawData(result, others),
    '## Reproduction',
    reproduction(result),
  ].join('\n\n')}\n`;
}

function frontMatter(result: Result): string {
  const complete = FULL.every((name) => measurementNamed(result, name) !== undefined);
  return [
    '---',
    `date: ${result.created_at.slice(0, 10)}`,
    'topic: twin-ingest',
    'stage: benchmark-results',
    `status: ${complete ? 'complete' : 'partial'}`,
    'source: automated',
    '---',
  ].join('\n');
}

function environmentLines(result: Result): string[] {
  const { environment, placement } = result;
  const sqlite = serversIn(result).map((name) => {
    const { health } = result.servers[name]!;
    return `${SHORT_NAMES[name]} ${health.sqlite_version}, ${health.compile_options.length} compile options`;
  });
  const facts: [string, string][] = [
    [
      'Hardware',
      `${environment.cpu_model ?? 'unknown CPU'} (${environment.arch}), ${environment.cpu_cores} CPUs, ` +
        `${formatValue(environment.memory_bytes, 'bytes')} RAM`,
    ],
    ['OS', `${environment.platform} ${environment.kernel}`],
    ['Node.js', environment.node_version],
    ['Rust', `${environment.rustc_version ?? 'unknown'}, release build`],
    [
      'SQLite',
      `${sqlite.join('; ')}; files on ${environment.database_file_system ?? 'an unknown file system'}`,
    ],
    ['Load before', environment.load_average.map((load) => load.toFixed(2)).join(', ')],
    ['Placement', placement.reason],
    ['Commit', commitOf(result)],
    ['Taken', `${result.created_at}, in ${formatDuration(result.took_s)}`],
  ];
  return facts.map(([name, value]) => `**${name}**: ${markdownText(value)}`);
}

function parameters(headline: Measurement | undefined): string {
  const workload = headline?.workload ?? null;
  if (headline === undefined || workload === null) return MISSING;
  const length = workload.duration_s === null ? 'by events' : `${workload.duration_s} s of the faster server`;
  const rows = [
    ['Rounds (fresh processes of both servers)', `${workload.rounds}`],
    ['Slices per server and round, A B B A', `${workload.slices}`],
    ['Length of a slice', length],
    ['Events a round and server', workload.events === null ? 'by rate' : group(workload.events)],
    ['Concurrency', `${workload.connections}`],
    ['Batch size', `${workload.batch_size}`],
    [
      'Warmup events',
      workload.warmup_events === null ? 'four seconds at the rate' : group(workload.warmup_events),
    ],
    [
      'Mode',
      `${headline.mode}, sent by ${headline.driver?.name ?? 'no driver'} ${headline.driver?.version ?? ''}`.trim(),
    ],
    ['Durability', workload.durability],
    ['Ids', workload.ids],
    ['Events there before', group(workload.preload_events)],
    ['Payload', payloadText(headline)],
  ];
  return markdownTable({ head: ['Parameter', 'Value'], rows }, [0, 1]);
}

function payloadText({ payload }: Measurement): string {
  if (payload === null) return 'none';
  const source = payload.source === 'corpus' ? 'corpus' : `generated, seed ${payload.seed}`;
  return `${source}: ${group(payload.events)} events, ${group(Math.round(payload.event_bytes.mean))} B in the mean, sha256 ${payload.sha256.slice(0, 12)}`;
}

/** Returns one line for each kind of warning: what it limits, where it occurred, and what to do. */
export function warningLines(all: readonly NamedWarning[]): string {
  if (all.length === 0) return 'None was found in this run.';
  const line = (found: readonly NamedWarning[]) =>
    `${found[0]!.code} (${limitOf(found[0]!)}): ${seenText(found)}. ${found[0]!.advice}`;
  return bullets(kindsOf(all).map((found) => markdownText(line(found))));
}

export function limitOf({ limits }: Warning): string {
  return limits === null ? 'limits no claim' : `limits ${limits}`;
}

function rawData({ raw }: Result, others: readonly string[]): string {
  return [
    'The summary: [`benchmark-results.json`](../benchmark-results.json), described by [its schema](../contract/benchmark-results.schema.json).',
    raw === null
      ? 'The raw samples of this run were not written.'
      : `Each slice and process: \`.bench/benchmark-raw.json\` of the run, ${group(raw.bytes)} bytes, sha256 \`${raw.sha256}\`. The workflow \`bench\` uploads such a file.`,
    `The suites have documents of their own: ${others.map((name) => `[${name}](suites/${name}.md)`).join(', ')}.`,
  ].join(' ');
}

function reproduction(result: Result): string {
  const flags = result.flags.length === 0 ? '' : ` -- ${result.flags.map(shellWord).join(' ')}`;
  return [
    '```sh',
    '# Builds both, checks that they answer alike, measures',
    `npx --yes pnpm@12.21.0 bench:compare${flags}`,
    '',
    '# The workload of the first report',
    'npx --yes pnpm@12.21.0 bench:compare -- --events=20000 --concurrency=40 --batch-size=50',
    '',
    '# README and documents from the result',
    'npx --yes pnpm@12.21.0 results:update',
    '```',
  ].join('\n');
}

/** Quotes an argument for a shell. */
function shellWord(text: string): string {
  return /^[\w=.,:/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''").replaceAll('```', '')}'`;
}
