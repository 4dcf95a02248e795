/**
 * Two servers that take turns on one database and one port.
 *
 * What must stay true: there is never more than one at a time; who is killed gets no chance to end well.
 */
import type { RunningServer } from '@twin-ingest/testkit/servers/server.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Stage } from './stage.ts';

const OTHER: Readonly<Record<TargetName, TargetName>> = { rs: 'ts', ts: 'rs' };

export interface Swap {
  /** As shown in reports. */
  readonly killed: string;
  readonly started: string;
  /** From the kill until the other was ready, milliseconds. */
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

  /** Whose turn it is, in a word of one width. */
  get now(): string {
    return this.#current.target.name;
  }

  get swaps(): number {
    return this.#swaps;
  }

  /** Of the database. */
  async epoch(): Promise<string> {
    const response = await fetch(`${this.baseUrl}/api/health`);
    return ((await response.json()) as { readonly epoch: string }).epoch;
  }

  /** Kills the one and starts the other. */
  async swap(): Promise<Swap> {
    const { target } = this.#current;
    const from = performance.now();
    await this.#current.kill();
    await this.#startOther();
    this.#swaps++;
    const took_ms = performance.now() - from;
    return { killed: target.label, started: this.#current.target.label, took_ms };
  }

  /** Ends the one as a supervisor would, and starts the other; it makes no difference if the one is gone already. */
  async last(): Promise<void> {
    await this.#current.stop();
    await this.#startOther();
  }

  async #startOther(): Promise<void> {
    const { target, port } = this.#current;
    this.#current = await this.#stage.start(OTHER[target.name], port);
  }
}
