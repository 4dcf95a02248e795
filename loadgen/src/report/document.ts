/**
 * docs/benchmark-results.md, with every sentence made from figures.
 *
 * Invariants: the same result gives the same bytes. The text names no winner by hand. It states what was not measured.
 */

import { binarySection } from '../binary/report/markdown.ts';
import { codecsSection } from '../codecs/report/markdown.ts';
import { headlineOf, type Measurement, measurementNamed, type Result } from '../result/result.ts';
import { rpcSection } from '../rpc/report/markdown.ts';
import { syncSection } from '../sync/report/markdown.ts';
import { SMOKE } from '../verify/smoke.ts';
import { commitOf, READING, thresholdLines, warningsOf } from './conditions.ts';
import { analysis } from './document-analysis.ts';
import { caveatLines } from './document-caveats.ts';
import { formatDuration, formatSummary, formatValue, group, NOT_MEASURED } from './format.ts';
import { measurementMarkdown, metricTable, openMarkdown } from './markdown.ts';
import { bullets, markdownTable, markdownText } from './markdown-table.ts';
import { SHORT_NAMES, serversIn } from './names.ts';
import { headlineRows, type Table } from './rows.ts';
import { askedOf, ceilingLines, openMeasurements } from './series.ts';

/** A run that has all of these, and open loops, is complete. */
const FULL = ['startup', 'short', 'batch', 'single', 'power', 'stream', 'soak'] as const;

const MISSING = 'Not measured in this run.';

export function documentOf(result: Result): string {
  const headline = headlineOf(result);
  const others = result.measurements.filter(
    (measurement) => measurement !== headline && !['open', 'startup'].includes(measurement.mode),
  );
  const stream = measurementNamed(result, 'stream');
  return `${[
    frontMatter(result),
    '# Twin-Ingest Benchmark Results',
    '## Environment',
    bullets(environmentLines(result)),
    '## Workload Parameters',
    parameters(headline, measurementNamed(result, 'soak')),
    '## Results',
    metricTable(result, headlineRows(result), ['delta', 'ratio', 'meaning']),
    `${markdownText(READING)}; the ratio stands with its interval of 95 %, and a noise floor counts from the smaller of two values.`,
    `Parity: before anything was measured, ${SMOKE.length} of ${SMOKE.length} requests of a smoke were answered alike and as the contract asks, or there would be no result; ` +
      'all cases and scenarios are those of `pnpm parity`.',
    ...(headline === undefined ? [] : ceilingBullets(result, headline)),
    '## Analysis',
    analysis(result),
    ...others.flatMap((measurement) => [
      `## ${markdownText(measurement.title)}`,
      measurementMarkdown(result, measurement),
    ]),
    '## Open Loop',
    openMeasurements(result).length === 0 ? MISSING : openMarkdown(result),
    '## Stream',
    stream === undefined ? MISSING : measurementMarkdown(result, stream),
    ...FULL.filter((name) => !['startup', 'batch', 'stream'].includes(name))
      .filter((name) => measurementNamed(result, name) === undefined)
      .flatMap((name) => [`## ${name.charAt(0).toUpperCase()}${name.slice(1)}`, MISSING]),
    ...(result.sync === undefined ? [] : [syncSection(result.sync)]),
    ...(result.codecs === undefined ? [] : [codecsSection(result.codecs)]),
    ...(result.binary === undefined ? [] : [binarySection(result.binary)]),
    ...(result.rpc === undefined ? [] : [rpcSection(result.rpc)]),
    '## Ceilings',
    ceilings(result),
    '## Caveats',
    bullets(caveatLines(result)),
    '### Warnings',
    warnings(result),
    ...(result.thresholds.length === 0
      ? []
      : ['## Conditions', bullets(thresholdLines(result).map(markdownText))]),
    '## Raw Data',
    'Every sample: [`benchmark-results.json`](../benchmark-results.json), described by ' +
      '[its schema](../contract/benchmark-results.schema.json). A run also writes `.bench/benchmark-report.html`, a page with plots.',
    '## Reproduction',
    reproduction(result),
  ].join('\n\n')}\n`;
}

function frontMatter(result: Result): string {
  const complete =
    openMeasurements(result).length > 0 && FULL.every((name) => measurementNamed(result, name) !== undefined);
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

function parameters(headline: Measurement | undefined, soak: Measurement | undefined): string {
  const workload = headline?.workload ?? null;
  if (headline === undefined || workload === null) return MISSING;
  const shown = (value: number | null, unit: string, otherwise: string) =>
    value === null ? otherwise : `${group(value)}${unit}`;
  const rows = [
    ['Events a round', shown(workload.events, '', 'by duration')],
    ['Duration of a round', shown(workload.duration_s, ' s', 'by events')],
    ['Rounds per server', `${workload.rounds}`],
    ['Concurrency', `${workload.connections}`],
    ['Batch size', `${workload.batch_size}`],
    ['Warmup events', shown(workload.warmup_events, '', 'four seconds at the rate')],
    ['Mode', `${headline.mode}${workload.rate === null ? '' : `, ${askedOf(headline)}`}`],
    ['Durability', workload.durability],
    ['Ids', workload.ids],
    ['Events there before', group(workload.preload_events)],
    ['Payload', payloadText(headline)],
    ['Soak per server', soak?.workload?.duration_s ? formatDuration(soak.workload.duration_s) : 'none'],
  ];
  return markdownTable({ head: ['Parameter', 'Value'], rows }, [0, 1]);
}

function payloadText({ payload }: Measurement): string {
  if (payload === null) return 'none';
  const source = payload.source === 'corpus' ? 'corpus' : `generated, seed ${payload.seed}`;
  return `${source}: ${group(payload.events)} events, ${group(Math.round(payload.event_bytes.mean))} B in the mean, sha256 ${payload.sha256.slice(0, 12)}`;
}

function ceilingBullets(result: Result, measurement: Measurement): string[] {
  const lines = ceilingLines(result, measurement);
  return lines.length === 0 ? [] : [bullets(lines.map(markdownText))];
}

function ceilings(result: Result): string {
  if (result.ceilings.length === 0) return MISSING;
  const servers = serversIn(result);
  const table: Table = {
    head: [
      'Bulk insert without HTTP',
      ...servers.flatMap((name) => [SHORT_NAMES[name], `${SHORT_NAMES[name]} CPU per event`]),
    ],
    rows: result.ceilings.map((ceiling) => [
      `transactions of ${group(ceiling.group_events)}, durability ${ceiling.durability}`,
      ...servers.flatMap((name) => {
        const found = ceiling.servers[name];
        if (found === undefined) return [NOT_MEASURED, NOT_MEASURED];
        return [
          formatSummary(found.events_per_s, 'events_per_s'),
          formatSummary(found.cpu_us_per_event, 'us'),
        ];
      }),
    ]),
  };
  return markdownTable(table);
}

function warnings(result: Result): string {
  const all = warningsOf(result);
  if (all.length === 0) return 'None was found in this run.';
  return bullets(
    all.map(
      ({ measurement, message, advice }) =>
        `**${measurement === null ? 'The run' : markdownText(measurement)}**: ${markdownText(`${message} — ${advice}`)}`,
    ),
  );
}

function reproduction(result: Result): string {
  const flags = result.flags.length === 0 ? '' : ` -- ${result.flags.map(shellWord).join(' ')}`;
  return [
    '```sh',
    '# Build both, check that they answer alike, measure',
    `npx --yes pnpm@12.21.0 bench:compare${flags}`,
    '',
    '# The row of the report before this one',
    'npx --yes pnpm@12.21.0 bench:compare -- --events=20000 --concurrency=40 --batch-size=50',
    ...(result.sync === undefined
      ? []
      : ['', '# Staying in sync, put into the same result', 'npx --yes pnpm@12.21.0 bench:sync']),
    ...(result.codecs === undefined
      ? []
      : ['', '# Formats and transports, put into the same result', 'npx --yes pnpm@12.21.0 bench:codecs']),
    ...(result.binary === undefined
      ? []
      : ['', '# Binary data in a page, put into the same result', 'npx --yes pnpm@12.21.0 bench:binary']),
    '',
    ...(result.rpc === undefined
      ? []
      : ['# Typed calls, put into the same result', 'npx --yes pnpm@12.21.0 bench:rpc', '']),
    '# README, this document and the page with plots from the result',
    'node scripts/update-results.ts',
    '```',
  ].join('\n');
}

/** As a shell takes it: a threshold holds a `<`. */
function shellWord(text: string): string {
  return /^[\w=.,:/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''").replaceAll('```', '')}'`;
}
