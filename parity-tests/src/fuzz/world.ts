/** Two servers, each on its own database, that run the same steps. Their answers to a step must be equal. */
import { compose } from '@twin-ingest/testkit/http/http-client.ts';
import { SseClient } from '@twin-ingest/testkit/http/sse-client.ts';
import { normaliseBody } from '../differential/normalise.ts';
import { connectPair, PAIR_FLAGS, type Pair } from '../differential/pair.ts';
import type { Step } from './step.ts';

/** What a world needs of a server. */
export interface Server {
  readonly port: number;
  stop(): Promise<unknown>;
  kill(): Promise<unknown>;
}

/** Starts a server of the runtime on the database with this name. */
export type Start = (target: 'rs' | 'ts', database: string, flags: readonly string[]) => Promise<Server>;

/** No frame depends on the time: the statistics come once, at the beginning. */
const FLAGS = [...PAIR_FLAGS, '--stats-interval-ms', '60000', '--heartbeat-ms', '60000'];
const TARGETS = ['rs', 'ts'] as const;
/** Time limit for a stream to reach the event that ends a step. */
const STREAM_MS = 5_000;

export class World {
  readonly #start: Start;
  #isSwapped = false;
  #servers: readonly Server[] = [];
  #pair: Pair | undefined;
  #ends = 0;

  private constructor(start: Start) {
    this.#start = start;
  }

  /** Starts both servers on empty databases. */
  static async open(start: Start): Promise<World> {
    const world = new World(start);
    await world.#run();
    return world;
  }

  /** Does a step, and returns what each server answered. */
  async take(step: Step): Promise<readonly [string, string]> {
    if (step.kind === 'request') return await this.#pair!.ask(step.sent);
    if (step.kind === 'stream') return await this.#stream(step);
    const isKill = step.kind === 'restart' && step.isKill;
    if (step.kind === 'swap') this.#isSwapped = !this.#isSwapped;
    await this.#end(isKill);
    await this.#run();
    return ['', ''];
  }

  async close(): Promise<void> {
    await this.#end(true);
  }

  async #run(): Promise<void> {
    const targets = this.#isSwapped ? TARGETS.toReversed() : TARGETS;
    this.#servers = await Promise.all(
      targets.map((target, i) => this.#start(target, `${TARGETS[i]}.db`, FLAGS)),
    );
    this.#pair = connectPair(this.#servers.map(({ port }) => port));
  }

  async #end(isKill: boolean): Promise<void> {
    this.#pair?.close();
    await Promise.all(this.#servers.map((server) => (isKill ? server.kill() : server.stop())));
  }

  async #stream(step: Extract<Step, { kind: 'stream' }>): Promise<readonly [string, string]> {
    const filter = step.session === undefined ? '' : `&session_id=${step.session}`;
    const streams = await Promise.all(
      this.#servers.map(({ port }) => SseClient.open(port, `/api/stream?after=${step.after}${filter}`)),
    );
    this.#ends += 1;
    const end = `end-of-stream-${this.#ends}`;
    const event = {
      session_id: step.session ?? 's1',
      agent_type: 'a',
      event_type: 'tool_use',
      tool_name: end,
    };
    const body = Buffer.from(JSON.stringify(event));
    const headers = [
      ['Host', '127.0.0.1'],
      ['Content-Type', 'application/json'],
      ['Content-Length', String(body.length)],
    ] as const;
    const answers = await this.#pair!.ask(compose('POST', '/api/events', headers, body));
    const isAtEnd = (stream: SseClient): boolean =>
      stream.ended || stream.frames.some(({ data }) => data?.includes(`"${end}"`));
    const seen = await Promise.all(
      streams.map(async (stream) => {
        await stream.waitFor(() => isAtEnd(stream), 'the last event', STREAM_MS).catch(() => undefined);
        stream.close();
        const frames = stream.frames.filter(
          ({ data }) => data !== undefined && !data.includes('"type":"stats"'),
        );
        return frames.map(({ id, data }) => `${id}: ${normaliseBody(data!)}`).join('\n');
      }),
    );
    return [`${answers[0]}\n${seen[0]}`, `${answers[1]}\n${seen[1]}`];
  }
}
