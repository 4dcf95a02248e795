/**
 * Alternates two servers on one database and one port.
 *
 * Invariants: at most one server runs at a time. A killed server gets no chance to shut down.
 */
import type { RunningServer } from '@twin-ingest/testkit/servers/server.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { request } from '../request.ts';
import type { Stage } from './stage.ts';

const OTHER: Readonly<Record<TargetName, TargetName>> = { rs: 'ts', ts: 'rs' };

export interface Swap {
  /** Label in reports. */
  readonly killed: string;
  readonly started: string;
  /** Milliseconds from the kill until the other server was ready. */
  readonly took_ms: number;
}

export class Turns {
  readonly #stage: Stage;
  readonly baseUrl: string;
  #current: RunningServer;
  #swaps = 0;

  private constructor(stage: Stage, first: RunningServer) {
    this.#stage = stage;
    this.#current = first;
    this.baseUrl = first.url;
  }

  static async begin(stage: Stage, name: TargetName, port: number): Promise<Turns> {
    return new Turns(stage, await stage.start(name, port));
  }

  get current(): RunningServer {
    return this.#current;
  }

  /** The name of the running server. Both names have the same width. */
  get now(): string {
    return this.#current.target.name;
  }

  get swaps(): number {
    return this.#swaps;
  }

  /** Returns the epoch of the database. */
  async epoch(): Promise<string> {
    const response = await request(`${this.baseUrl}/api/health`);
    return ((await response.json()) as { readonly epoch: string }).epoch;
  }

  /** Kills one server and starts the other. */
  async swap(): Promise<Swap> {
    const { target } = this.#current;
    const from = performance.now();
    await this.#current.kill();
    await this.#startOther();
    this.#swaps++;
    const took_ms = performance.now() - from;
    return { killed: target.label, started: this.#current.target.label, took_ms };
  }

  /** Stops one server gracefully and starts the other; the first may already be gone. */
  async last(): Promise<void> {
    await this.#current.stop();
    await this.#startOther();
  }

  async #startOther(): Promise<void> {
    const { target, port } = this.#current;
    this.#current = await this.#stage.start(OTHER[target.name], port);
  }
}
