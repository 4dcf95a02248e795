/**
 * Names the topics that a client can keep in sync with: events, statistics, sessions, or one session (rules SYN-01
 * and SYN-03).
 *
 * Pure. A topic is written as in the path of a snapshot, with a percent-encoded session id; its name has the id
 * unencoded. Topics with equal names are equal.
 */
import { LIMITS, VOCABULARY } from './contract.ts';
import { FIELD } from './field.ts';
import { byteLength, isWellFormed, percentDecode, trimText } from './text.ts';

/**
 * The topics of the vocabulary whose revision is the newest event's id; tests/contract.test.ts compares the two
 * lists.
 */
export const COMMON_TOPICS = ['events', 'stats', 'sessions'] as const;

/** A topic of the vocabulary, or one session's topic. Clients see its name: `events`, or `session:` and the id. */
export type Topic =
  | { readonly kind: (typeof COMMON_TOPICS)[number]; readonly name: string }
  | { readonly kind: 'session'; readonly name: string; readonly sessionId: string };

const PREFIX = VOCABULARY.session_topic_prefix;
const COMMON: ReadonlyMap<string, Topic> = new Map(COMMON_TOPICS.map((kind) => [kind, { kind, name: kind }]));

/** Parses a topic; `undefined` for any other text. */
export function parseTopic(text: string): Topic | undefined {
  const common = COMMON.get(text);
  if (common !== undefined) return common;
  if (!text.startsWith(PREFIX)) return undefined;
  const sessionId = percentDecode(text.slice(PREFIX.length), false);
  if (sessionId === undefined || !isSessionId(sessionId)) return undefined;
  return { kind: 'session', name: PREFIX + sessionId, sessionId };
}

/** Returns the topic with this name (rule RPC-05). */
export function topicNamed(name: string): Topic | undefined {
  const common = COMMON.get(name);
  if (common !== undefined) return common;
  const sessionId = name.slice(PREFIX.length);
  if (!name.startsWith(PREFIX) || !isSessionId(sessionId)) return undefined;
  return { kind: 'session', name, sessionId };
}

/**
 * Parses a comma-separated list of distinct topics, in order (rule SYN-03). Returns `undefined` for an unknown topic,
 * or for more topics than `stream_topics`.
 */
export function parseTopics(list: string): readonly Topic[] | undefined {
  const topics = new Map<string, Topic>();
  for (const text of list.split(',')) {
    const topic = parseTopic(text);
    if (topic === undefined) return undefined;
    topics.set(topic.name, topic);
  }
  return topics.size <= LIMITS.stream_topics ? [...topics.values()] : undefined;
}

/** Returns whether an event can have this id (rules EVT-01 and EVT-12); any other id would never change. */
function isSessionId(text: string): boolean {
  if (text === '' || !isWellFormed(text) || trimText(text) !== text) return false;
  return byteLength(text) <= FIELD.session_id.maxBytes;
}
