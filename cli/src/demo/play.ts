/** Plays a day of agents into a server: the past hours at once, then the present at human pace. */
import { claudeCode } from './agents/claude-code.ts';
import { codex } from './agents/codex.ts';
import { geminiCli } from './agents/gemini-cli.ts';
import type { Agent, Sending } from './agents/request.ts';
import type { Courier } from './courier.ts';
import { PAST_MS, pastOf, presentOf } from './day.ts';
import { replay } from './replay.ts';
import type { Action, AgentName } from './steps.ts';
import { addWork, noWork } from './work-done.ts';

const AGENTS: Readonly<Record<AgentName, Agent>> = {
  claude_code: claudeCode,
  codex,
  gemini_cli: geminiCli,
};

export class Play {
  readonly #courier: Courier;
  readonly #sessions = new Map<string, Sending>();
  /** Counts the steps that the server accepted completely. */
  readonly done = noWork();

  constructor(courier: Courier) {
    this.#courier = courier;
  }

  /** Resolves when the signal aborts. `speed` applies to the present; the past is sent without pauses. */
  async day(seed: number, speed: number, signal: AbortSignal): Promise<void> {
    await this.past(seed, signal);
    const play = (action: Action) => this.#send(action, new Date());
    await replay({ timeline: presentOf(seed), speed, play }, signal);
  }

  /** Sends the past hours, with their own times for agents that send times. */
  async past(seed: number, signal: AbortSignal): Promise<void> {
    const from_ms = Date.now() - PAST_MS;
    const play = (action: Action, at_ms: number) => this.#send(action, new Date(from_ms + at_ms));
    await replay({ timeline: pastOf(seed), speed: Infinity, play }, signal);
  }

  async #send(action: Action, at: Date): Promise<void> {
    const { session, step } = action;
    let sending = this.#sessions.get(session.id);
    if (sending === undefined) {
      sending = AGENTS[session.agent](session);
      this.#sessions.set(session.id, sending);
    }
    let isTaken = true;
    for (const request of sending(step, at)) isTaken = (await this.#courier.send(request)) && isTaken;
    if (isTaken) addWork(this.done, action);
    if (step.kind === 'end') this.#sessions.delete(session.id);
  }
}
