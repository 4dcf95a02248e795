/** A server with answers from the test, and a sender to it with a fake clock. */

import { FakeClock } from '@twin-ingest/testkit/fake-clock.ts';
import type { OutgoingEvent } from '../src/contract.ts';
import type { Fetch } from '../src/fetch.ts';
import { Sender, type SenderOptions, type SenderState } from '../src/send.ts';

export const event = (fields: Partial<OutgoingEvent> = {}): OutgoingEvent => ({
  session_id: 's',
  agent_type: 'agent',
  event_type: 'tool_use',
  ...fields,
});

export const stored = (received: number, duplicates = 0) =>
  Response.json({ revision: '1', received, ids: [], duplicates, rejected: [] }, { status: 201 });
export const refused = (status: number, code: string, headers: Record<string, string> = {}, more = {}) =>
  Response.json({ error: code, code, ...more }, { status, headers });

type Answers = readonly (Response | Error)[] | ((ids: readonly string[]) => Response | Promise<Response>);

/** Returns a sender to a fake server. `answers` is a list (the last entry repeats) or a function of the event ids. */
export function senderOn(answers: Answers, options: SenderOptions = {}) {
  const clock = new FakeClock();
  const bodies: { events: OutgoingEvent[] }[] = [];
  const retries: number[] = [];
  const fetch: Fetch = async (_, init) => {
    const body = JSON.parse(String(init.body)) as { events: OutgoingEvent[] };
    bodies.push(body);
    if (typeof answers === 'function') return answers(body.events.map(({ event_id }) => event_id!));
    const answer = answers[Math.min(bodies.length, answers.length) - 1]!;
    if (answer instanceof Error) throw answer;
    return answer.clone();
  };
  const onState = (state: SenderState, _: unknown, wait_ms: number) => {
    if (state === 'retrying') retries.push(wait_ms);
  };
  const sender = new Sender({ fetch, clock, random: () => 1, onState, ...options });
  const sizes = () => bodies.map(({ events }) => events.length);
  return { bodies, sizes, clock, retries, sender };
}
