/**
 * Runs one agent, connected to one server, with its own model API and its own scratch home.
 *
 * Invariant: everything that a trial started ends with the trial. Its folder is removed unless `keep` is set.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { writeTree } from '@twin-ingest/testkit/files/tree.ts';
import { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';
import { type RunningServer, startServer } from '@twin-ingest/testkit/servers/server.ts';
import { ROOT, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { AgentKind, Dialog, Place, Turn } from '../agents/agent.ts';
import { startModelApi } from '../api/model-api.ts';
import { type Conversation, Script } from '../api/script.ts';
import { type Relay, startRelay } from '../capture/relay.ts';
import { writeCaptured } from '../capture/write.ts';
import { check } from '../check/check.ts';
import { type Observed, observe, settled } from '../check/observed.ts';
import { agentEnv, type Ran, run, runTurn } from './process.ts';
import { openTerminal, type Terminal } from './terminal.ts';

export interface TrialOptions {
  readonly agent: AgentKind;
  readonly prefix: string;
  readonly target: TargetName;
  readonly keep: boolean;
  /** The destination of the agent's requests; `null` for no capture. */
  readonly capture: { readonly folder: string; readonly version: string; readonly scenario: string } | null;
}

export class Trial {
  readonly agent: AgentKind;
  readonly place: Place;
  readonly script: Script;
  #server: RunningServer;
  #relay: Relay | null = null;
  readonly #options: TrialOptions;
  readonly #closers: (() => Promise<unknown>)[];

  private constructor(
    options: TrialOptions,
    place: Place,
    script: Script,
    server: RunningServer,
    closers: (() => Promise<unknown>)[],
  ) {
    this.agent = options.agent;
    this.#options = options;
    this.place = place;
    this.script = script;
    this.#server = server;
    this.#closers = closers;
  }

  /** Starts all parts and runs `connect`, as a user would. */
  static async start(options: TrialOptions, conversations: readonly Conversation[]): Promise<Trial> {
    const { agent, prefix, target } = options;
    const root = mkdtempSync(join(tmpdir(), 'agent-tests-'));
    const closers: (() => Promise<unknown>)[] = [];
    if (options.keep) process.stderr.write(`${agent.label} on ${target}: ${root}\n`);
    else closers.push(async () => rmSync(root, { recursive: true, force: true }));
    const script = new Script(conversations);
    const api = await startModelApi(script);
    closers.push(() => api.close());
    const server = await startServer(target, { flags: ['--db', join(root, 'events.db')] });
    const relay = options.capture === null ? null : await startRelay(server.url);
    const place = {
      ...{ prefix, home: join(root, 'home'), project: join(root, 'project') },
      ...{ apiUrl: api.url, serverUrl: relay?.url ?? server.url },
    };
    mkdirSync(place.home);
    mkdirSync(place.project);
    const trial = new Trial(options, place, script, server, closers);
    closers.push(() => trial.#server.kill());
    writeTree('', agent.settings(place));
    trial.#relay = relay;
    if (relay !== null) closers.push(() => relay.close());
    const args = [`${ROOT}cli/src/connect.ts`, agent.name, '--yes', '--url', place.serverUrl];
    const env = { HOME: place.home, PATH: process.env.PATH ?? '' };
    const connected = await run({ file: process.execPath, args }, env, place.project);
    assert.equal(connected.code, 0, `connect: ${connected.stderr}`);
    if (agent.firstRun !== null) {
      const first = await runTurn(agent, place, agent.firstRun);
      assert.equal(first.code, 0, `the first run: ${first.stderr.slice(-2_000)}`);
    }
    return trial;
  }

  /** Runs one turn of the agent, which must end with exit code 0. */
  async turn(turn: Partial<Turn> & Pick<Turn, 'prompt'>): Promise<Ran> {
    const defaults = {
      model: this.agent.models[0],
      isResumed: false,
      isAllowed: true,
      areHooksTrusted: true,
    };
    const whole = { ...defaults, ...turn };
    const ran = await runTurn(this.agent, this.place, this.agent.turn(this.place, whole));
    assert.equal(ran.code, 0, `${this.agent.label} ended with ${ran.code}: ${ran.stderr.slice(-2_000)}`);
    return ran;
  }

  /** Starts one session of the agent in a terminal. The session ends with the trial at the latest. */
  dialog({ args }: Dialog, prompt: string): Terminal {
    const turn = {
      prompt,
      model: this.agent.models[0],
      isResumed: false,
      isAllowed: false,
      areHooksTrusted: true,
    };
    const program = this.agent.program(this.place.prefix);
    const command = { file: program.file, args: [...program.args, ...args(turn)] };
    const terminal = openTerminal(command, agentEnv(this.agent, this.place), this.place.project);
    this.#closers.push(() => terminal.end());
    return terminal;
  }

  /** Returns the current state of the server. */
  async observe(): Promise<Observed> {
    const client = new ApiClient(this.#server.port);
    try {
      return await observe(client);
    } finally {
      client.close();
    }
  }

  /** Returns the state of the server once `isThere` holds and no more rows arrive, or at the deadline. */
  async untilObserved(isThere: (state: Observed) => boolean): Promise<Observed> {
    const client = new ApiClient(this.#server.port);
    try {
      return await settled(client, isThere);
    } finally {
      client.close();
    }
  }

  /** Stops the server gracefully and starts it again with the same file and port. */
  async restartServer(): Promise<void> {
    const { port } = this.#server;
    await this.#server.stop();
    const flags = ['--db', join(this.place.home, '../events.db'), '--port', String(port)];
    this.#server = await startServer(this.#options.target, { flags });
  }

  /** Checks that the agent took every step, and that the server has each answer and each call once. */
  async check(sessions: number): Promise<Observed> {
    assert.equal(this.script.left(), 0, 'the agent took every step of the script');
    const client = new ApiClient(this.#server.port);
    try {
      const state = await check(client, { agent: this.agent, served: this.script.served, sessions });
      this.#capture(sessions);
      return state;
    } finally {
      client.close();
    }
  }

  #capture(sessions: number): void {
    const { agent, capture } = this.#options;
    if (capture === null || this.#relay === null) return;
    const { home, project } = this.place;
    const places = [
      [project, '/home/user/project'],
      [home, '/home/user'],
      [dirname(home), '/home'],
    ] as const;
    const { sent } = this.#relay;
    writeCaptured(capture.folder, { ...capture, agent, sent, served: this.script.served, sessions, places });
  }

  async end(): Promise<void> {
    for (const close of this.#closers.toReversed()) await close();
  }
}
