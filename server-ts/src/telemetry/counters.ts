/**
 * Counts what agents send (rule OTL-11).
 *
 * Memory is bounded by the agents with a mapping, one entry for all others, and the list of reasons.
 */
import { LIMITS } from '../contract.ts';
import { formatTimestamp } from '../timestamp.ts';
import { AGENTS, type Agent } from './agents.ts';
import { REASONS, type Signal } from './otlp.ts';

/** Reasons to reject a record. */
export type Reason = 'unknown_agent' | 'unknown_event' | 'no_session' | 'too_large' | 'invalid';

/** The agent type of records from unknown agents. */
const UNKNOWN = 'unknown';

/** Counts of one agent. */
export class AgentTally {
  logs = 0;
  spans = 0;
  points = 0;
  stored = 0;
  duplicates = 0;
  noise = 0;
  /** Counts of rejected records, by the indices of the reasons. */
  readonly ignored: number[] = REASONS.map(() => 0);

  /** Counts records of a signal. */
  count(signal: Signal, records: number): void {
    if (signal === 'logs') this.logs += records;
    else if (signal === 'spans') this.spans += records;
    else this.points += records;
  }

  /** Counts a record that was rejected. */
  ignore(reason: Reason): void {
    const place = REASONS.indexOf(reason);
    this.ignored[place] = this.ignored[place]! + 1;
  }

  get isEmpty(): boolean {
    return this.logs + this.spans + this.points === 0;
  }

  add(other: AgentTally): void {
    this.logs += other.logs;
    this.spans += other.spans;
    this.points += other.points;
    this.stored += other.stored;
    this.duplicates += other.duplicates;
    this.noise += other.noise;
    other.ignored.forEach((count, place) => {
      this.ignored[place] = this.ignored[place]! + count;
    });
  }
}

/** Counts of a request, by the indices of its agents; the last entry counts all others. */
export class Tally {
  readonly agents: readonly AgentTally[] = places().map(() => new AgentTally());

  /** Returns the counts of an agent. */
  of(agent: Agent | undefined): AgentTally {
    return this.agents[agent?.place ?? AGENTS.length]!;
  }

  /** Returns the rejected records by reason, without reasons that did not occur. */
  rejected(): readonly (readonly [reason: string, count: number])[] {
    return REASONS.map(
      (reason, place) =>
        [reason, this.agents.reduce((sum, { ignored }) => sum + ignored[place]!, 0)] as const,
    ).filter(([, count]) => count > 0);
  }
}

/** Counts of all agents since the start. */
export class Counters {
  private grpcConnections = 0;
  /** Requests without a record. */
  private withoutRecords = 0;
  /** Requests at paths that are almost addresses, and the newest of these paths. */
  private wrongPaths = 0;
  private lastWrongPath: string | null = null;
  private readonly agents = places().map((name) => ({ name, lastAt: 0, tally: new AgentTally() }));

  /** Counts a connection of gRPC; returns whether it is the first one (rule OTL-12). */
  countGrpc(): boolean {
    this.grpcConnections++;
    return this.grpcConnections === 1;
  }

  /** Counts a request at a path that is almost an address; returns whether it is the first one (rule OTL-13). */
  countWrongPath(path: string): boolean {
    this.wrongPaths++;
    this.lastWrongPath = path.slice(0, LIMITS.shown_bytes);
    return this.wrongPaths === 1;
  }

  /** Adds an answered request; returns whether it is the first one without a record (rule OTL-14). */
  add(tally: Tally, nowMs: number): boolean {
    if (tally.agents.every(({ isEmpty }) => isEmpty)) {
      this.withoutRecords++;
      return this.withoutRecords === 1;
    }
    this.agents.forEach((agent, place) => {
      const sent = tally.agents[place]!;
      if (sent.isEmpty) return;
      agent.lastAt = nowMs;
      agent.tally.add(sent);
    });
    return false;
  }

  /** Returns the member `telemetry` of the health answer. */
  json(): object {
    const sent = this.agents.filter(({ tally }) => !tally.isEmpty);
    return {
      grpc_connections: this.grpcConnections,
      wrong_paths: this.wrongPaths,
      last_wrong_path: this.lastWrongPath,
      without_records: this.withoutRecords,
      agents: sent.map(({ name, lastAt, tally }) => ({
        agent_type: name,
        last_at: formatTimestamp(lastAt),
        logs: tally.logs,
        spans: tally.spans,
        points: tally.points,
        stored: tally.stored,
        duplicates: tally.duplicates,
        noise: tally.noise,
        ignored: Object.fromEntries(
          REASONS.flatMap((reason, place) =>
            tally.ignored[place]! > 0 ? [[reason, tally.ignored[place]]] : [],
          ),
        ),
      })),
    };
  }
}

/** Returns the agent type of each entry. */
function places(): readonly string[] {
  return [...AGENTS.map(({ spec }) => spec.agentType), UNKNOWN];
}
