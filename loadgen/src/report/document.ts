/**
 * docs/benchmark-results.md: environment, workload, results, analysis, caveats, raw data, reproduction.
 *
 * Invariants: the same result gives the same bytes, at most 15 KB of them. No winner is written by hand, and the front
 * matter states whether everything was measured.
 */

import { SUITE_NAMES } from '../result/part-file.ts';
import { headlineOf, type Measurement, measurementNamed, type Result } from '../result/result.ts';
import { SMOKE } from '../verify/smoke.ts';
import { commitOf, READING, type WarningKind } from './conditions.ts';
import { formatDuration, formatValue, group } from './format.ts';
import { bullets, markdownTable, markdownText, metricTable } from './markdown-table.ts';
import { reportOf } from './model.ts';
import { SHORT_NAMES, serversIn } from './names.ts';
import { isCompared } from './rows.ts';
import { rowSentence } from './verdict.ts';

const FULL = ['startup', 'batch', 'open_1000', 'open_10000', 'plain_batch', 'single', 'power', 'stream'];

/** Returns the document. `others` are the names of documents below docs/suites. */
export function documentOf(result: Result, others: readonly string[] = SUITE_NAMES): string {
  const { headline, parts, trust, caveats, warnings } = reportOf(result);
  return `${[
    frontMatter(result),
    '# Twin-Ingest Benchmark Results',
    'For engineers who want to check or repeat the figures of the README. `pnpm results:update` writes this file.',
    '## Environment',
    bullets(environmentLines(result)),
    '## Workload Parameters',
    parameters(headlineOf(result)),
    '## Results',
    metricTable(result, headline, ['delta', 'ratio', 'meaning']),
    `${markdownText(READING)}.`,
    `Parity: before the measurement both servers answered ${SMOKE.length} of ${SMOKE.length} requests alike and as the contract asks. ` +
      '`pnpm parity` has all cases and scenarios.',
    ...parts.flatMap(({ title, table, left, lines }) => [
      `### ${title}`,
      markdownTable(table, left),
      ...(lines.length === 0 ? [] : [bullets(lines.map(markdownText))]),
    ]),
    '## Analysis',
    bullets([...(isCompared(result) ? headline.map(rowSentence) : []), ...trust].map(markdownText)),
    '## Caveats',
    bullets(caveats.map(markdownText)),
    '### Warnings',
    warningLines(warnings),
    '## Raw Data',
    rawData(result, others),
    '## Reproduction',
    reproduction(result),
  ].join('\n\n')}\n`;
}

/** Returns the block of docs/performance.md: the headline, and how far its figures can be trusted. */
export function currentSection(result: Result): string {
  const { headline, trust } = reportOf(result);
  const { created_at, environment } = result;
  const taken =
    `Measured on ${created_at.slice(0, 10)} at commit ${commitOf(result).slice(0, 7)}, on ${environment.cpu_cores} cores of ` +
    `${environment.cpu_model ?? 'an unknown CPU'}.`;
  return [
    markdownText(taken),
    metricTable(result, headline, ['ratio']),
    bullets(trust.map(markdownText)),
  ].join('\n\n');
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
  const files = `files on ${environment.database_file_system ?? 'an unknown file system'}`;
  const facts = {
    Hardware:
      `${environment.cpu_model ?? 'unknown CPU'} (${environment.arch}), ${environment.cpu_cores} CPUs, ` +
      `${formatValue(environment.memory_bytes, 'bytes')} RAM`,
    OS: `${environment.platform} ${environment.kernel}`,
    'Node.js': environment.node_version,
    Rust: `${environment.rustc_version ?? 'unknown'}, release build`,
    SQLite: [...sqlite, files].join('; '),
    'Load before': environment.load_average.map((load) => load.toFixed(2)).join(', '),
    Placement: placement.reason,
    Commit: commitOf(result),
    Taken: `${result.created_at}, in ${formatDuration(result.took_s)}`,
  };
  return Object.entries(facts).map(([name, value]) => `**${name}**: ${markdownText(value)}`);
}

function parameters(headline: Measurement | undefined): string {
  const workload = headline?.workload ?? null;
  if (headline === undefined || workload === null) return 'No closed loop was measured in this run.';
  const { events, warmup_events, duration_s } = workload;
  const { driver, mode } = headline;
  const values = {
    'Rounds (fresh processes of both servers)': `${workload.rounds}`,
    'Slices per server and round, A B B A': `${workload.slices}`,
    'Length of a slice': duration_s === null ? 'by events' : `${duration_s} s of the faster server`,
    'Events a round and server': events === null ? 'by rate' : group(events),
    Concurrency: `${workload.connections}`,
    'Batch size': `${workload.batch_size}`,
    'Warmup events': warmup_events === null ? 'four seconds at the rate' : group(warmup_events),
    Mode: `${mode}, sent by ${driver?.name ?? 'no driver'} ${driver?.version ?? ''}`.trim(),
    Durability: workload.durability,
    Ids: workload.ids,
    Payload: payloadText(headline),
  };
  return markdownTable({ head: ['Parameter', 'Value'], rows: Object.entries(values) }, [0, 1]);
}

function payloadText({ payload }: Measurement): string {
  if (payload === null) return 'none';
  const source = payload.source === 'corpus' ? 'corpus' : `generated, seed ${payload.seed}`;
  return `${source}: ${group(payload.events)} events, ${group(Math.round(payload.event_bytes.mean))} B in the mean, sha256 ${payload.sha256.slice(0, 12)}`;
}

/** Returns one line for each kind of warning: what it limits, where it occurred, and what to do. */
export function warningLines(kinds: readonly WarningKind[]): string {
  if (kinds.length === 0) return 'None was found in this run.';
  return bullets(
    kinds.map(({ code, limit, seen, advice }) => markdownText(`${code} (${limit}): ${seen}. ${advice}`)),
  );
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

function reproduction({ flags }: Result): string {
  return [
    '```sh',
    '# Builds both, checks that they answer alike, measures',
    ['npx --yes pnpm@12.21.0 bench:compare', ...(flags.length === 0 ? [] : ['--', ...flags])].join(' '),
    '',
    '# The workload of the first report',
    'npx --yes pnpm@12.21.0 bench:compare -- --events=20000 --concurrency=40 --batch-size=50',
    '',
    '# README and documents from the result',
    'npx --yes pnpm@12.21.0 results:update',
    '```',
  ].join('\n');
}
