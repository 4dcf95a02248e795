/**
 * Counts what agents send (rule OTL-11).
 *
 * Bounded: by the agents of `otlp.json` and one place for all others, and by the list of reasons.
 */
import { formatTimestamp } from '../timestamp.ts';
import { AGENTS, type Agent } from './agents.ts';
import { REASONS, type Signal } from './otlp.ts';

/** Why a record is rejected. */
export type Reason = 'unknown_agent' | 'unknown_event' | 'no_session' | 'too_large' | 'invalid';

/** The agent type of records that no file knows. */
const UNKNOWN = 'unknown';

/** What one agent has sent. */
export class AgentTally {
  logs = 0;
  spans = 0;
  points = 0;
  stored = 0;
  duplicates = 0;
  noise = 0;
  /** By the places of the reasons. */
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

/** What a request was, by the places of its agents; the last place is that of all others. */
export class Tally {
  readonly agents: readonly AgentTally[] = places().map(() => new AgentTally());

  /** What an agent has sent. */
  of(agent: Agent | undefined): AgentTally {
    return this.agents[agent?.place ?? AGENTS.length]!;
  }

  /** How many records were rejected for each reason that there was. */
  rejected(): readonly (readonly [reason: string, count: number])[] {
    return REASONS.map(
      (reason, place) =>
        [reason, this.agents.reduce((sum, { ignored }) => sum + ignored[place]!, 0)] as const,
    ).filter(([, count]) => count > 0);
  }
}

/** What all agents have sent since the start. */
export class Counters {
  private grpcConnections = 0;
  private readonly agents = places().map((name) => ({ name, lastAt: 0, tally: new AgentTally() }));

  /** Counts a connection of gRPC; returns whether it is the first one (rule OTL-12). */
  countGrpc(): boolean {
    this.grpcConnections++;
    return this.grpcConnections === 1;
  }

  /** Adds a request that was answered. */
  add(tally: Tally, nowMs: number): void {
    this.agents.forEach((agent, place) => {
      const sent = tally.agents[place]!;
      if (sent.isEmpty) return;
      agent.lastAt = nowMs;
      agent.tally.add(sent);
    });
  }

  /** The member `telemetry` of the health answer. */
  json(): object {
    const sent = this.agents.filter(({ tally }) => !tally.isEmpty);
    return {
      grpc_connections: this.grpcConnections,
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

/** The agent type of each place. */
function places(): readonly string[] {
  return [...AGENTS.map(({ spec }) => spec.agent_type), UNKNOWN];
}
