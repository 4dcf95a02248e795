/**
 * The same work as events for `POST /api/events`, as an application's own code sends it: one for each relevant step.
 */
import type { OutgoingEvent } from '@twin-ingest/client';
import type { Action, Step } from '../steps.ts';
import type { Timed, Timeline } from '../timeline.ts';

export function* plainEvents(timeline: Timeline<Action>): Generator<Timed<OutgoingEvent>> {
  for (const { at_ms, item } of timeline) {
    const fields = fieldsOf(item.step);
    if (fields === null) continue;
    const { id: session_id, agent: agent_type, model, project, branch } = item.session;
    const place = { session_id, agent_type, model, project, branch };
    yield { at_ms, item: { ...place, ...fields } as OutgoingEvent };
  }
}

/** Returns the fields of a step's event; `null` if the step has none. */
function fieldsOf(step: Step): Readonly<Record<string, unknown>> | null {
  switch (step.kind) {
    case 'start':
      return { event_type: 'session_start' };
    case 'prompt':
      return { event_type: 'user_prompt', metadata: { prompt: step.text } };
    case 'reply': {
      const { cost_nanos, ...tokens } = step.reply;
      return { event_type: 'llm_response', ...tokens, cost_usd: (cost_nanos ?? 0) / 1e9 };
    }
    case 'failure':
      return { event_type: 'error', duration_ms: step.duration_ms, metadata: { error: step.error } };
    case 'result': {
      const { id: call_id, tool: tool_name, input, error, duration_ms, agent_id } = step.call;
      const call = { event_type: 'tool_use', tool_name, call_id, duration_ms };
      const of = agent_id === null ? {} : { agent_id };
      return { ...call, ...of, status: error === null ? 'success' : 'error', metadata: { input, error } };
    }
    case 'turn end':
      return { event_type: 'response', metadata: { text: step.text } };
    case 'end':
      return { event_type: 'session_end' };
    default:
      return null;
  }
}
