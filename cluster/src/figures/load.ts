/** A closed loop: each connection sends a batch, waits for its answer, and sends the next one. */
import { randomUUID } from 'node:crypto';
import { ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import { quantile } from './quantile.ts';

export interface LoadOptions {
  /** The ports of the servers, which the connections use in turn. */
  readonly ports: readonly number[];
  readonly connections: number;
  readonly batch: number;
  readonly seconds: number;
}

export interface LoadResult {
  readonly events: number;
  readonly events_per_s: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
}

/** A typical payload of a coding agent. */
const METADATA = { command: 'pnpm test', cwd: '/home/user/project', output: 'x'.repeat(200) };

/** Returns valid events with ids of their own. */
export function eventsOf(count: number): Record<string, unknown>[] {
  return Array.from({ length: count }, () =>
    event({ event_id: randomUUID(), tool_name: 'Bash', tokens_in: 100, metadata: METADATA }),
  );
}

/** Sends for some seconds. An answer other than 201 rejects. */
export async function closedLoop({ ports, connections, batch, seconds }: LoadOptions): Promise<LoadResult> {
  const latencies: number[] = [];
  const begun = performance.now();
  const end = begun + seconds * 1000;
  const send = async (index: number): Promise<void> => {
    const client = new ApiClient(ports[index % ports.length]!);
    while (performance.now() < end) {
      const events = eventsOf(batch);
      const from = performance.now();
      await client.ingest(events);
      latencies.push(performance.now() - from);
    }
    client.close();
  };
  await Promise.all(Array.from({ length: connections }, (_, index) => send(index)));
  const events = latencies.length * batch;
  return {
    events,
    events_per_s: Math.round((events * 1000) / (performance.now() - begun)),
    p50_ms: quantile(latencies, 0.5),
    p99_ms: quantile(latencies, 0.99),
  };
}
