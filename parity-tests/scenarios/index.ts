/**
 * All scenarios, in the order in which they run. Files with a long scenario are not among the last ones.
 */
import type { ScenarioFile } from '../src/scenario.ts';
import { ATTACHMENT_CRASH } from './attachment-crash.ts';
import { ATTACHMENT_DELETIONS } from './attachment-deletions.ts';
import { ATTACHMENT_MEMORY } from './attachment-memory.ts';
import { ATTACHMENT_OWNER } from './attachment-owner.ts';
import { ATTACHMENT_UPLOADS } from './attachment-uploads.ts';
import { ATTACHMENTS } from './attachments.ts';
import { BACKUPS } from './backups.ts';
import { CAPTURED } from './captured.ts';
import { CLIENTS } from './clients/index.ts';
import { CLUSTER } from './cluster/index.ts';
import { COMMANDS } from './commands.ts';
import { CONCURRENCY } from './concurrency.ts';
import { CONFIG } from './config.ts';
import { CORPUS } from './corpus.ts';
import { CRASH } from './crash.ts';
import { DESCRIPTORS } from './descriptors.ts';
import { DIFFERENTIAL } from './differential.ts';
import { DUMPS } from './dumps.ts';
import { EXPORTS } from './exports.ts';
import { FAULTS } from './faults/index.ts';
import { FILTERS } from './filters.ts';
import { FORMATS } from './formats/index.ts';
import { FORWARD } from './forward/index.ts';
import { HEALTH } from './health.ts';
import { HOOKS } from './hooks.ts';
import { HOSTILE_RECORDS } from './hostile-records.ts';
import { HOSTILE_SEARCH } from './hostile-search.ts';
import { HOSTILE_TEXT } from './hostile-text.ts';
import { INPUT } from './input.ts';
import { KEYS } from './keys.ts';
import { LARGE_BODIES } from './large-bodies.ts';
import { LARGE_ROWS } from './large-rows.ts';
import { LIFECYCLE } from './lifecycle.ts';
import { LINKS } from './links.ts';
import { LOCK } from './lock.ts';
import { LOG } from './log.ts';
import { LOOPBACK } from './loopback.ts';
import { METRICS_SCENARIOS } from './metrics.ts';
import { NAMES } from './names.ts';
import { NEIGHBOURS } from './neighbours.ts';
import { NOTIFICATIONS } from './notifications.ts';
import { NOTIFICATIONS_TLS } from './notifications-tls.ts';
import { OPEN_QUARTER } from './open-quarter.ts';
import { OTLP_SCENARIOS } from './otlp/index.ts';
import { OVERLOAD } from './overload.ts';
import { OVERLOAD_RATE } from './overload-rate.ts';
import { PAGE_BUDGET } from './page-budget.ts';
import { PATHS } from './paths.ts';
import { PRICES } from './prices.ts';
import { READS } from './reads.ts';
import { REDACT } from './redact.ts';
import { REDACT_RANDOM } from './redact-random.ts';
import { REFUSALS } from './refusals.ts';
import { REMOTE } from './remote.ts';
import { RESTART } from './restart.ts';
import { RETENTION } from './retention.ts';
import { RETENTION_LOAD } from './retention-load.ts';
import { RPC } from './rpc.ts';
import { SCHEMA } from './schema.ts';
import { SEALED_TEXTS } from './sealed-texts.ts';
import { SERIES } from './series.ts';
import { SESSION_PAGES } from './session-pages.ts';
import { SIGN_IN } from './sign-in.ts';
import { SLOW_BODIES } from './slow-bodies.ts';
import { SLOW_READERS } from './slow-readers.ts';
import { SNAPSHOT_WAITS } from './snapshot-waits.ts';
import { SNAPSHOTS } from './snapshots.ts';
import { SOCKET } from './socket.ts';
import { START } from './start.ts';
import { STDIN } from './stdin.ts';
import { STDIN_FRAMES } from './stdin-frames.ts';
import { STDIN_LINES } from './stdin-lines.ts';
import { STORAGE } from './storage.ts';
import { STREAM } from './stream.ts';
import { STREAM_SLOW } from './stream-slow.ts';
import { SWAP } from './swap.ts';
import { SYNC } from './sync.ts';
import { SYNC_PACE } from './sync-pace.ts';
import { TIME } from './time.ts';
import { TIME_PAGES } from './time-pages.ts';
import { TIMEOUTS } from './timeouts.ts';
import { WAITS } from './waits.ts';
import { WHOLE_METADATA } from './whole-metadata.ts';

export const SCENARIO_FILES: readonly ScenarioFile[] = [
  START,
  SCHEMA,
  CONFIG,
  HEALTH,
  METRICS_SCENARIOS,
  FILTERS,
  NAMES,
  HOOKS,
  HOSTILE_RECORDS,
  HOSTILE_SEARCH,
  HOSTILE_TEXT,
  WAITS,
  NOTIFICATIONS,
  NOTIFICATIONS_TLS,
  REFUSALS,
  REMOTE,
  RETENTION,
  RETENTION_LOAD,
  BACKUPS,
  DUMPS,
  WHOLE_METADATA,
  COMMANDS,
  LIFECYCLE,
  LOCK,
  LINKS,
  LOOPBACK,
  PATHS,
  STREAM,
  STREAM_SLOW,
  SYNC,
  SYNC_PACE,
  SIGN_IN,
  SNAPSHOTS,
  SLOW_BODIES,
  SLOW_READERS,
  SNAPSHOT_WAITS,
  CONCURRENCY,
  OVERLOAD,
  OVERLOAD_RATE,
  NEIGHBOURS,
  PRICES,
  REDACT,
  REDACT_RANDOM,
  DESCRIPTORS,
  READS,
  PAGE_BUDGET,
  SESSION_PAGES,
  SEALED_TEXTS,
  SERIES,
  OPEN_QUARTER,
  EXPORTS,
  LARGE_BODIES,
  LARGE_ROWS,
  ATTACHMENTS,
  ATTACHMENT_UPLOADS,
  ATTACHMENT_CRASH,
  ATTACHMENT_DELETIONS,
  ATTACHMENT_OWNER,
  ATTACHMENT_MEMORY,
  RPC,
  OTLP_SCENARIOS,
  CLIENTS,
  CAPTURED,
  FORMATS,
  FORWARD,
  FAULTS,
  CLUSTER,
  TIME,
  TIME_PAGES,
  TIMEOUTS,
  STORAGE,
  LOG,
  RESTART,
  INPUT,
  SOCKET,
  STDIN,
  STDIN_LINES,
  STDIN_FRAMES,
  SWAP,
  CRASH,
  KEYS,
  CORPUS,
  DIFFERENTIAL,
];

/** Every rule that a scenario tests. */
export const rules: readonly string[] = [
  ...new Set(SCENARIO_FILES.flatMap((file) => file.scenarios.flatMap((one) => one.rules))),
].sort();
