/**
 * Generates the events of a run: seeded, valid, with the sizes and kinds of events of real coding agents.
 *
 * Invariant: the same seed gives the same text, byte for byte.
 */
import { type AgentType, KINDS, SESSION_SHARES, sizeAt } from '@twin-ingest/testkit/events/kinds.ts';
import { shapeOf } from '@twin-ingest/testkit/events/shapes.ts';
import { filler, nonAscii } from '@twin-ingest/testkit/events/text.ts';
import { type Random, seededRandom, shuffle } from '@twin-ingest/testkit/random.ts';
import { uuidText as uuid } from './uuid.ts';

/** First timestamp of the generated events, which is about that of the real events. */
const FIRST_TIMESTAMP_MS = Date.UTC(2026, 1, 11, 20, 0, 0);

/** Yields the events as JSON text, session by session. Their ids are UUIDs derived from the seed. */
export function* generateLines(seed: number): Generator<string> {
  const random = seededRandom(seed);
  const agents = Object.keys(SESSION_SHARES) as AgentType[];
  const sessions = agents.flatMap((agent) => sessionsOf(agent, random));
  shuffle(random, sessions);
  let index = 0;
  let clock = FIRST_TIMESTAMP_MS;
  for (const [number, drafts] of sessions.entries()) {
    const session_id = uuid(seed + 1, number);
    for (const draft of drafts) {
      clock += Math.floor(random.next() * 4_000);
      yield eventText(draft, { event_id: uuid(seed, index++), session_id }, clock, random);
    }
  }
}

type Draft = ReturnType<typeof sessionsOf>[number][number];

/** Divides the agent's events into sessions. A session has its start events first and its end events last. */
function sessionsOf(agent: AgentType, random: Random) {
  const drafts = KINDS.filter((kind) => kind.agent_type === agent).flatMap((kind) => {
    // Sizes are spread evenly over the kind's quantiles and shuffled.
    const ranks = Array.from({ length: kind.count }, (_, i) => (i + 0.5) / kind.count);
    const sizes = shuffle(random, ranks).map((rank) => sizeAt(kind.sizes, rank));
    return sizes.map((bytes, i) => ({ kind, bytes, nonAscii: i < kind.non_ascii }));
  });
  const ofType = (type: string) => drafts.filter(({ kind }) => kind.event_type === type);
  const [starts, ends] = [ofType('session_start'), ofType('session_end')];
  const others = drafts.filter(({ kind }) => !/^session_(start|end)$/.test(kind.event_type));
  const total = shuffle(random, others).length;
  // The last session gets what is left.
  const sizes = [...SESSION_SHARES[agent].map((share) => Math.round(share * total)), total];
  const sessions = sizes.map((size) =>
    [starts.splice(0, 1), others.splice(0, size), ends.splice(0, 1)].flat(),
  );
  // There are more start events than sessions: a resumed session sends another one.
  sessions[0]!.unshift(...starts);
  sessions.at(-1)!.push(...ends);
  return sessions;
}

/** Returns the event's JSON, padded to its size. An event whose fields alone are longer keeps its length. */
function eventText(draft: Draft, ids: object, clock: number, random: Random): string {
  const shape = shapeOf(draft.kind, random);
  const { agent_type, event_type } = draft.kind;
  const rest = draft.bytes > 300 ? { client_timestamp: new Date(clock).toISOString(), source: 'import' } : {};
  const head = { ...ids, agent_type, event_type, ...shape.fields, ...rest };
  // Metadata is created only once, since it contains random values. Its text is inserted afterwards.
  const metadata = JSON.stringify(shape.metadata(MARK));
  const bare = `${JSON.stringify(head).slice(0, -1)},"metadata":${metadata}}`;
  const room = draft.bytes - (Buffer.byteLength(bare) - MARK.length);
  const [shortest, beyond] = draft.nonAscii ? [32, nonAscii(random)] : [1, ''];
  const text = filler(random, Math.max(room, shortest), beyond);
  return bare.replace(MARK, () => JSON.stringify(text).slice(1, -1));
}

const SMALL_EVENTS = 200_000;
const SMALL_BYTES = 426;
const SMALL_TYPES = ['tool_use', 'response', 'llm_response'];
const SMALL_TOOLS = ['Bash', 'Read', 'Edit', 'Glob', 'Grep', 'Write'];

/** Yields events of one size, in 500 sessions in random order. docs/performance.md states costs of such events. */
export function* generateSmallLines(seed: number): Generator<string> {
  const random = seededRandom(seed);
  for (let index = 0; index < SMALL_EVENTS; index++) {
    const event = {
      event_id: uuid(seed, index),
      session_id: uuid(seed + 1, random.below(500)),
      agent_type: 'claude_code',
      event_type: random.pick(SMALL_TYPES),
      tool_name: random.pick(SMALL_TOOLS),
      tokens_in: random.below(10_000),
      tokens_out: random.below(1_000),
      duration_ms: random.below(5_000),
      cost_usd: random.below(1_000) / 10_000,
      model: 'claude-opus-4-6',
      project: 'app',
      branch: 'main',
      client_timestamp: new Date(FIRST_TIMESTAMP_MS + index * 10).toISOString(),
      source: 'hook',
      metadata: { path: '' },
    };
    const room = SMALL_BYTES - JSON.stringify(event).length;
    event.metadata.path = 'src/store/'.repeat(SMALL_BYTES).slice(0, room);
    yield JSON.stringify(event);
  }
}

/** Placeholder for the text until its length is known. No event contains it otherwise. */
const MARK = '@text@';
