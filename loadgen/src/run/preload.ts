/**
 * Creates a database that already contains events. It is created once for each kind of load and copied for every round.
 *
 * Either server can create it, since both write the same file. Invariant: the database is closed, so that its one file
 * is the whole database.
 */
import { existsSync } from 'node:fs';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { BenchFailure } from '../failure.ts';
import type { Spec } from '../plan/spec.ts';
import { checkAudit } from '../verify/audit/auditor.ts';
import { type Launch, launch } from './launch.ts';
import type { Progress } from './progress.ts';
import type { Workers } from './workers.ts';

export interface PreloadContext {
  readonly launch: Launch;
  readonly workers: Workers;
  readonly progress: Progress;
  readonly target: TargetName;
}

/** Returns the path of a database with the spec's `preload_events`. Its folder exists until the run ends. */
export async function preload(spec: Spec, context: PreloadContext): Promise<string> {
  const { workers, progress, target } = context;
  const count = spec.workload.preload_events;
  const batches: Spec = { ...spec, mode: 'batch', workload: { ...spec.workload, batch_size: PRELOAD_BATCH } };
  const generator = await workers.generator(batches, 'autocannon');
  const auditor = await workers.auditor(spec);
  const step = progress.begin(`preload ${spec.name}`, count);
  try {
    const launched = await launch(target, context.launch, 'process');
    const order = { url: launched.server.url, range: { first: 0, count }, rate_events_per_s: null };
    const sent = await generator.send(order, (events) => step.at(events));
    await launched.stop();
    // Checked before the audit, which creates a write-ahead log itself.
    if (existsSync(`${launched.database}-wal`))
      throw new BenchFailure('server_failed', `${target} left a write-ahead log behind`);
    const claim = {
      ranges: [order.range],
      acknowledged_events: sent.received_events,
      preloaded_rows: 0,
    };
    const audit = await auditor.audit(launched.database, claim);
    await checkAudit(audit, 'the preload', [], () => auditor.explain(launched.database, claim));
    step.done(`${count.toLocaleString('en-US')} events`);
    return launched.database;
  } catch (error) {
    step.abandon();
    throw error;
  }
}

const PRELOAD_BATCH = 500;
