/**
 * Names what a client can keep in sync: events, statistics, sessions, or one session (rules SYN-01 and SYN-03).
 *
 * Pure. A topic is written as in the path of a snapshot, the id of a session percent-encoded; its name has the
 * id as it is. Two topics are the same when their names are.
 */
import { LIMITS, VOCABULARY } from './contract.ts';
import { FIELD } from './field.ts';
import { byteLength, isWellFormed, percentDecode, trimText } from './text.ts';

/** Those of the vocabulary, whose revision is the newest event's id; tests/contract.test.ts holds the two equal. */
export const COMMON_TOPICS = ['events', 'stats', 'sessions'] as const;

/** A topic of the vocabulary, or one session's. The name is what clients are told: `events`, or `session:` and the id. */
export type Topic =
  | { readonly kind: (typeof COMMON_TOPICS)[number]; readonly name: string }
  | { readonly kind: 'session'; readonly name: string; readonly sessionId: string };

const PREFIX = VOCABULARY.session_topic_prefix;
const COMMON: ReadonlyMap<string, Topic> = new Map(COMMON_TOPICS.map((kind) => [kind, { kind, name: kind }]));

/** The topic that is written so; nothing where it is none. */
export function parseTopic(text: string): Topic | undefined {
  const common = COMMON.get(text);
  if (common !== undefined) return common;
  if (!text.startsWith(PREFIX)) return undefined;
  const sessionId = percentDecode(text.slice(PREFIX.length), false);
  if (sessionId === undefined || !isSessionId(sessionId)) return undefined;
  return { kind: 'session', name: PREFIX + sessionId, sessionId };
}

/** The topic with this name (rule RPC-05). */
export function topicNamed(name: string): Topic | undefined {
  const common = COMMON.get(name);
  if (common !== undefined) return common;
  const sessionId = name.slice(PREFIX.length);
  if (!name.startsWith(PREFIX) || !isSessionId(sessionId)) return undefined;
  return { kind: 'session', name, sessionId };
}

/**
 * The topics of a list with commas between them, each once, in the order given (rule SYN-03). Nothing where one of
 * them is none, or where they are more than `stream_topics`.
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

/** Whether an event can have it (rules EVT-01 and EVT-12): any other would never be heard of. */
function isSessionId(text: string): boolean {
  if (text === '' || !isWellFormed(text) || trimText(text) !== text) return false;
  return byteLength(text) <= FIELD.session_id.maxBytes;
}
