/**
 * `pnpm contract:update`: writes every list that is generated from `contract/`. `pnpm contract:check` checks that the
 * lists are current.
 *
 * Invariant: a JSON file is compared by value, so that its formatting does not matter, and any other file by its text.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answerHelp } from '@twin-ingest/testkit/process/usage.ts';
import {
  agentsFile,
  agentTexts,
  hookRoutes,
  recipes,
  withHookPaths,
  withHookRoutes,
} from './contract/agents.ts';
import type { Fields } from './contract/fields.ts';
import { rustFigures } from './contract/figure-rust.ts';
import { openapiFigures } from './contract/figure-schemas.ts';
import { scriptFigures } from './contract/figure-script.ts';
import { pageFigures } from './contract/figure-sources.ts';
import { figureStatements, seriesOfRows } from './contract/figure-statements.ts';
import { type Figures, figureFacts, numberFields } from './contract/figures.ts';
import { type Config, rustFlags, scriptFlags } from './contract/flags.ts';
import { rustLimits, scriptLimits } from './contract/limits.ts';
import { loadTime, loadUnpriced } from './contract/load-statements.ts';
import { eventMessage, rowColumns } from './contract/messages.ts';
import { type Metrics, rustMetrics, scriptMetrics } from './contract/metrics.ts';
import { protobufFile } from './contract/protobuf.ts';
import { rustQueries, scriptQueries } from './contract/queries.ts';
import { type Routes, rustRoutes, scriptRoutes } from './contract/routes.ts';
import { type RpcSchema, rpcMethods } from './contract/rpc.ts';
import { schemaFile } from './contract/schema-number.ts';
import { eventSchema, openapiFile, routesFile } from './contract/schemas.ts';
import { fieldTable, filterNames } from './contract/sources.ts';
import {
  insertEvent,
  selectBlockTexts,
  selectEvent,
  selectEventBlocks,
  selectEventFigures,
  selectEventSpans,
  selectEvents,
  selectLateEvents,
  selectNamesWithText,
  selectSeriesRows,
} from './contract/statements.ts';
import { clientTypes } from './contract/types.ts';
import { rustErrors, rustVocabulary, scriptErrors, scriptVocabulary } from './contract/vocabulary.ts';
import { wireFields } from './contract/wire.ts';
import type { JsonObject } from './contract-facts.ts';

/** A generated file: its path in the repository, and its required content. */
interface Generated {
  readonly path: string;
  readonly content: string | JsonObject;
}

/** Returns everything that is generated from the contract below `root`. */
export function generate(root: string): Generated[] {
  const json = (name: string): JsonObject => JSON.parse(readFileSync(join(root, 'contract', name), 'utf8'));
  const fields = json('fields.json') as unknown as Fields;
  const vocabulary = json('vocabulary.json');
  const config = json('config.json') as unknown as Config;
  const metrics = json('metrics.json') as unknown as Metrics;
  const formats = Object.keys(json('formats.json').formats as JsonObject);
  const hooks = hookRoutes(root);
  const routes = withHookRoutes(routesFile(json('routes.json'), fields), hooks);
  const words = vocabulary as unknown as Record<string, readonly string[]>;
  const [limits, tuning] = [json('limits.json'), json('tuning.json')];
  const schema = readFileSync(join(root, 'contract/migrations/0001_init.sql'), 'utf8');
  const figures = figureFacts(json('figures.json') as unknown as Figures, fields, schema);
  const openapi = openapiFigures(
    withHookPaths(openapiFile(json('openapi.json'), fields, words, limits as never), hooks),
    figures,
  );
  const statements = Object.entries(figureStatements(figures));
  const stemsIn = (folder: string): string[] =>
    readdirSync(join(root, 'contract', folder)).map((name) => name.replace(/\.sql$/, ''));
  const loads = [...new Set([...stemsIn('loads'), '0006_time', '0008_unpriced'])].sort();
  const stems = stemsIn('queries').concat(statements.map(([stem]) => stem));
  const queries = [...new Set(stems)].sort();
  return [
    { path: 'contract/agents.json', content: agentsFile(root) },
    { path: 'contract/agent-texts.json', content: agentTexts(root) },
    { path: 'contract/connect.json', content: recipes(root) },
    { path: 'contract/event.schema.json', content: eventSchema(json('event.schema.json'), fields, words) },
    { path: 'contract/schema.json', content: schemaFile(json('schema.json'), schema) },
    { path: 'contract/routes.json', content: routes },
    { path: 'contract/openapi.json', content: openapi },
    { path: 'contract/ingest/v1/event.proto', content: protobufFile(fields, words) },
    { path: 'contract/loads/0006_time.sql', content: loadTime(fields, figures) },
    { path: 'contract/loads/0008_unpriced.sql', content: loadUnpriced(fields, figures) },
    { path: 'contract/queries/insert_event.sql', content: insertEvent(fields) },
    {
      path: 'contract/queries/select_event_figures.sql',
      content: selectEventFigures(fields, numberFields(figures, fields)),
    },
    { path: 'contract/queries/select_event.sql', content: selectEvent(fields) },
    { path: 'contract/queries/select_block_texts.sql', content: selectBlockTexts(fields) },
    { path: 'contract/queries/select_events_newest.sql', content: selectEvents(fields, 'newest') },
    { path: 'contract/queries/select_events_oldest.sql', content: selectEvents(fields, 'oldest') },
    { path: 'contract/queries/select_late_events_newest.sql', content: selectLateEvents(fields, 'newest') },
    { path: 'contract/queries/select_late_events_oldest.sql', content: selectLateEvents(fields, 'oldest') },
    {
      path: 'contract/queries/select_event_columns_newest.sql',
      content: selectEvents(fields, 'newest', 'stored'),
    },
    {
      path: 'contract/queries/select_event_columns_oldest.sql',
      content: selectEvents(fields, 'oldest', 'stored'),
    },
    { path: 'contract/queries/select_names_with_text.sql', content: selectNamesWithText(fields) },
    {
      path: 'contract/queries/select_series_rows.sql',
      content: selectSeriesRows(fields, seriesOfRows(figures)),
    },
    ...statements.map(([stem, content]) => ({ path: `contract/queries/${stem}.sql`, content })),
    { path: 'contract/queries/select_event_spans_newest.sql', content: selectEventSpans(fields, 'newest') },
    { path: 'contract/queries/select_event_spans_oldest.sql', content: selectEventSpans(fields, 'oldest') },
    { path: 'contract/queries/select_event_blocks_newest.sql', content: selectEventBlocks(fields, 'newest') },
    { path: 'contract/queries/select_event_blocks_oldest.sql', content: selectEventBlocks(fields, 'oldest') },
    { path: 'server-rs/src/queries.rs', content: rustQueries(queries, loads) },
    { path: 'server-ts/src/queries.ts', content: scriptQueries(queries, loads) },
    { path: 'server-rs/src/contract/errors.rs', content: rustErrors(vocabulary) },
    { path: 'server-ts/src/contract/errors.ts', content: scriptErrors(vocabulary) },
    { path: 'server-rs/src/contract/vocabulary.rs', content: rustVocabulary(vocabulary) },
    { path: 'server-ts/src/contract/vocabulary.ts', content: scriptVocabulary(vocabulary) },
    { path: 'server-rs/src/contract/flags.rs', content: rustFlags(config) },
    { path: 'server-ts/src/contract/flags.ts', content: scriptFlags(config) },
    { path: 'server-rs/src/contract/metrics.rs', content: rustMetrics(metrics) },
    { path: 'server-ts/src/contract/metrics.ts', content: scriptMetrics(metrics) },
    { path: 'server-rs/src/contract/routes.rs', content: rustRoutes(routes as unknown as Routes, words) },
    {
      path: 'server-ts/src/contract/routes.ts',
      content: scriptRoutes(routes as unknown as Routes, words, formats),
    },
    { path: 'server-rs/src/contract/limits.rs', content: rustLimits(limits, tuning) },
    { path: 'server-ts/src/contract/limits.ts', content: scriptLimits(limits, tuning) },
    { path: 'server-rs/src/field/table.rs', content: fieldTable(fields) },
    { path: 'server-rs/src/field/columns.rs', content: rowColumns(fields) },
    { path: 'server-rs/src/figure/table.rs', content: rustFigures(figures, fields) },
    { path: 'server-ts/src/figure/table.ts', content: scriptFigures(figures, fields) },
    { path: 'server-rs/src/formats/event_message.rs', content: eventMessage(fields) },
    { path: 'client-ts/src/contract.ts', content: clientTypes(openapi) },
    {
      path: 'client-ts/src/rpc-methods.ts',
      content: rpcMethods(json('rpc.json') as unknown as RpcSchema, vocabulary as never, limits as never),
    },
    { path: 'client-ts/src/wire-fields.ts', content: wireFields(fields, words) },
    { path: 'dashboard/src/filter-names.ts', content: filterNames(fields) },
    { path: 'dashboard/src/figure-names.ts', content: pageFigures(figures) },
  ];
}

/** Returns whether the file below `root` has its required content. */
export function isCurrent(root: string, { path, content }: Generated): boolean {
  let text: string;
  try {
    text = readFileSync(join(root, path), 'utf8');
  } catch {
    return false;
  }
  if (typeof content === 'string') return text === content;
  // The order of members counts, since clients see it.
  return JSON.stringify(JSON.parse(text)) === JSON.stringify(content);
}

function main(): number {
  answerHelp(`Usage: pnpm contract:update

Writes every list that follows from contract/agents, contract/fields.json, contract/figures.json and contract/queries, and names the files that it wrote.
If the schema in contract/migrations has changed, it raises the number in contract/schema.json.
`);
  const root = fileURLToPath(new URL('..', import.meta.url));
  const stale = generate(root).filter((file) => !isCurrent(root, file));
  for (const { path, content } of stale) {
    writeFileSync(join(root, path), typeof content === 'string' ? content : `${JSON.stringify(content)}\n`);
    process.stdout.write(`${path}\n`);
  }
  const json = stale.flatMap(({ path, content }) => (typeof content === 'string' ? [] : path));
  if (json.length > 0) execFileSync('biome', ['format', '--write', ...json], { cwd: root, stdio: 'inherit' });
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main();
