/**
 * Computes the member `telemetry` of `/api/health` by rule OTL-11 from the results of records.
 *
 * Invariant: it shares no code with a server.
 */
import OTLP from '../../contract/otlp.json' with { type: 'json' };
import { AGENTS, agentOf, UNKNOWN } from './otlp-agents.ts';
import type { RecordOutcome, Signal } from './otlp-outcome.ts';
import { type Members, sharedAttributes } from './otlp-values.ts';

interface Counts {
  logs: number;
  spans: number;
  points: number;
  stored: number;
  duplicates: number;
  noise: number;
  readonly ignored: Record<string, number>;
}

/** The member before the first request. */
export const NOTHING_COUNTED: Members = {
  grpc_connections: 0,
  wrong_paths: 0,
  last_wrong_path: null,
  without_records: 0,
  agents: [],
};

const ORDER = [...AGENTS.map((agent) => agent.agent_type), UNKNOWN];

export class TelemetryCounts {
  readonly #counts = new Map<string, Counts>();
  readonly #stored = new Set<unknown>();
  #withoutRecords = 0;

  /** Counts the records of an accepted request; returns those that the server stores. */
  add(signal: Signal, outcomes: readonly RecordOutcome[]): RecordOutcome[] {
    if (outcomes.length === 0) this.#withoutRecords++;
    return outcomes.filter(({ agent, ignored, row }) => {
      const counts = this.#of(agent);
      counts[signal]++;
      if (ignored === 'noise') counts.noise++;
      else if (ignored !== undefined) counts.ignored[ignored] = (counts.ignored[ignored] ?? 0) + 1;
      if (row === undefined) return false;
      const isNew = !this.#stored.has(row.event_id);
      counts[isNew ? 'stored' : 'duplicates']++;
      this.#stored.add(row.event_id);
      return isNew;
    });
  }

  /** Counts the data points of a metrics request, each for the agent of its scope or service. */
  addPoints(request: Members): void {
    let points = 0;
    for (const { resource, scopeMetrics } of request.resourceMetrics as readonly {
      resource?: Members;
      scopeMetrics: readonly { scope?: { name: string }; metrics: readonly object[] }[];
    }[])
      for (const { scope, metrics } of scopeMetrics) {
        const agent = agentOf(scope?.name ?? '', sharedAttributes(resource?.attributes), new Map());
        for (const kind of metrics.flatMap((metric) => Object.values(metric) as { dataPoints: unknown[] }[]))
          if (kind.dataPoints.length > 0) {
            this.#of(agent?.agent_type ?? UNKNOWN).points += kind.dataPoints.length;
            points += kind.dataPoints.length;
          }
      }
    if (points === 0) this.#withoutRecords++;
  }

  /** Returns the member as in `/api/health`, with times as wildcards. */
  expected(grpcConnections = 0): Members {
    const agents = ORDER.filter((name) => this.#counts.has(name)).map((agent_type) => {
      const { ignored, ...counts } = this.#counts.get(agent_type)!;
      const reasons = OTLP.reasons.filter((reason) => ignored[reason] !== undefined);
      const byReason = Object.fromEntries(reasons.map((reason) => [reason, ignored[reason]]));
      return { agent_type, last_at: '<any-timestamp>', ...counts, ignored: byReason };
    });
    const without_records = this.#withoutRecords;
    return { ...NOTHING_COUNTED, grpc_connections: grpcConnections, without_records, agents };
  }

  #of(agent: string): Counts {
    const counts = this.#counts.get(agent) ?? {
      logs: 0,
      spans: 0,
      points: 0,
      stored: 0,
      duplicates: 0,
      noise: 0,
      ignored: {},
    };
    this.#counts.set(agent, counts);
    return counts;
  }
}

/** Returns the answer to a request with these results (rule OTL-01). */
export function answerTo(path: string, outcomes: readonly RecordOutcome[]): Members {
  const rejected = outcomes.filter(({ ignored }) => ignored !== undefined && ignored !== 'noise');
  if (rejected.length === 0) return {};
  const reasons = OTLP.reasons.flatMap((reason) => {
    const count = rejected.filter(({ ignored }) => ignored === reason).length;
    return count === 0 ? [] : [`${count} ${reason}`];
  });
  const member = (OTLP.requests as Readonly<Record<string, { readonly rejected: string }>>)[path]!.rejected;
  return { partialSuccess: { [member]: String(rejected.length), errorMessage: reasons.join(', ') } };
}
