/**
 * Generates one session of an agent as a timeline of steps. They are prompts, answers of models with their tokens,
 * calls of tools, and subagents. Some calls fail, and some wait for the user.
 *
 * Invariant: the same random numbers give the same steps, and a result follows its call.
 */
import type { Random } from '@twin-ingest/testkit/random.ts';
import type { Action, AgentName, Call, Reply, Session, Step, Subagent, ToolKind } from './steps.ts';
import { CALL_ERRORS, FOLLOW_UPS, MODEL_ERROR, type Task } from './tasks.ts';
import type { Timed } from './timeline.ts';

/** A model and its dollars per million tokens, in and out; without a price the agent sends no cost. */
type Model = readonly [name: string, dollars_in?: number, dollars_out?: number];
const MODELS: Readonly<Record<AgentName, readonly Model[]>> = {
  claude_code: [
    ['claude-opus-4-8', 5, 25],
    ['claude-sonnet-4-5', 3, 15],
  ],
  codex: [['gpt-5-codex']],
  gemini_cli: [['gemini-2.5-pro']],
};

const CALL_FAILS = 0.08;
const MODEL_FAILS = 0.03;
const ASKS = 0.25;
const DELEGATES = 0.2;
/** Share of the sessions that end. The others fall silent, as after closing a terminal. */
const ENDS = 0.85;

export interface SessionPlan {
  readonly agent: AgentName;
  readonly task: Task;
  readonly from_ms: number;
  readonly random: Random;
  /** Whether the first command that needs a permission waits for it until the end of the demo. */
  readonly isLeftWaiting?: boolean;
}

export function* sessionOf(plan: SessionPlan): Generator<Timed<Action>> {
  const { agent, task, from_ms, random, isLeftWaiting } = plan;
  const model = random.pick(MODELS[agent]);
  const { project, branch } = task;
  const session: Session = { id: uuid(random), agent, model: model[0], project, branch };
  let at_ms = from_ms;
  for (const [after_ms, step] of stepsOf(model, task, random)) {
    at_ms += after_ms;
    yield { at_ms, item: { session, step } };
    if (isLeftWaiting && step.kind === 'ask') return;
  }
}

/** A step, and the milliseconds since its predecessor. */
type After = readonly [after_ms: number, step: Step];

function* stepsOf(model: Model, task: Task, random: Random): Generator<After> {
  yield [0, { kind: 'start' }];
  const prompts = 1 + random.below(3);
  for (let i = 0; i < prompts; i++) {
    const text = i === 0 ? task.prompt : random.pick(FOLLOW_UPS);
    const pause_ms = i === 0 ? 600 : between(random, 6_000, 30_000);
    yield [pause_ms, { kind: 'prompt', id: uuid(random), text }];
    for (let round = random.below(3); round >= 0; round--) {
      yield* replyOf(model, random);
      for (let call = random.below(3); call >= 0; call--) yield* callOf(task, null, random);
      if (random.chance(DELEGATES)) yield* subagentOf(model, task, random);
    }
    yield* replyOf(model, random);
    yield [200, { kind: 'turn end', text: i === 0 ? task.answer : 'Done.' }];
  }
  if (random.chance(ENDS)) yield [between(random, 1_000, 8_000), { kind: 'end' }];
}

function* replyOf(model: Model, random: Random): Generator<After> {
  const duration_ms = between(random, 1_200, 7_000);
  if (random.chance(MODEL_FAILS)) yield [duration_ms, { kind: 'failure', error: MODEL_ERROR, duration_ms }];
  yield [duration_ms, { kind: 'reply', reply: tokensOf(model, duration_ms, random) }];
}

function tokensOf([, dollars_in, dollars_out]: Model, duration_ms: number, random: Random): Reply {
  const tokens_in = 20 + random.below(3_000);
  const tokens_out = 60 + random.below(1_400);
  const cache_read_tokens = 8_000 + random.below(60_000);
  const priced = dollars_in !== undefined && dollars_out !== undefined;
  // Tokens that are written to a cache cost a quarter more. Tokens that are read from it cost a tenth.
  const cache_write_tokens = priced ? random.below(4_000) : 0;
  const paid_in = tokens_in + 1.25 * cache_write_tokens + 0.1 * cache_read_tokens;
  const cost_nanos = priced ? Math.round((paid_in * dollars_in + tokens_out * dollars_out) * 1_000) : null;
  return { tokens_in, tokens_out, cache_read_tokens, cache_write_tokens, cost_nanos, duration_ms };
}

function* callOf(task: Task, agent_id: string | null, random: Random): Generator<After> {
  const tool = random.pick<ToolKind>(['shell', 'shell', 'read', 'read', 'edit', 'search']);
  const inputs = { shell: task.commands, read: task.files, edit: task.files, search: [task.pattern] };
  const isShell = tool === 'shell';
  // Commands take longer, other tools are quick.
  const duration_ms = Math.round((isShell ? 300 : 8) * 30 ** random.next());
  const error = random.chance(CALL_FAILS) ? CALL_ERRORS[isShell ? 'shell' : 'other'] : null;
  const id = hex(random, 24);
  const call: Call = { id, tool, input: random.pick(inputs[tool]), duration_ms, error, agent_id };
  yield [between(random, 50, 400), { kind: 'call', call }];
  const asks = isShell && random.chance(ASKS);
  if (asks) yield [150, { kind: 'ask', call }];
  const waited_ms = asks ? between(random, 6_000, 40_000) : 0;
  yield [waited_ms + duration_ms, { kind: 'result', call }];
}

function* subagentOf(model: Model, task: Task, random: Random): Generator<After> {
  const subagent: Subagent = { id: hex(random, 16), name: 'Explore', task: `Where is ${task.pattern} used?` };
  yield [300, { kind: 'subagent', subagent }];
  for (let call = 1 + random.below(3); call > 0; call--) yield* callOf(task, subagent.id, random);
  yield* replyOf(model, random);
  yield [200, { kind: 'subagent end', subagent }];
}

function between(random: Random, least: number, most: number): number {
  return least + random.below(most - least);
}

function hex(random: Random, digits: number): string {
  return Array.from({ length: digits }, () => random.below(16).toString(16)).join('');
}

/** Returns a UUID of version 4 (RFC 9562). */
function uuid(random: Random): string {
  const digits = (count: number) => hex(random, count);
  return `${digits(8)}-${digits(4)}-4${digits(3)}-8${digits(3)}-${digits(12)}`;
}
