/**
 * Writes the line that describes a telemetry record or an imported event: its most informative attribute, or the
 * model that answered.
 */

import type { Summaries } from './agent-texts.ts';
import type { Row } from './api.ts';
import { isObject, membersOf, summariesOf, textOf } from './hook-summary.ts';

type Attributes = Readonly<Record<string, unknown>>;

/** The input of a user or a model; some of these texts are JSON. */
const ASKED = [
  ...['prompt', 'function_args', 'arguments', 'tool_input', 'tool_parameters', 'gen_ai.tool.call.arguments'],
  ...['response', 'text', 'agent_name', 'decision'],
];
const FAILURES = ['error', 'error.message', 'error_message', 'error.type', 'tool_response'];
/** The attribute for a failed call without a message of its own. */
const OUTPUT = 'output';
/** Attributes that other columns show, or that are irrelevant to a reader. */
const KNOWN = [
  ...['session.id', 'conversation.id', 'event.name', 'event.timestamp', 'event.sequence', 'event.kind'],
  ...[
    'prompt.id',
    'prompt_id',
    'agent_id',
    'model',
    'slug',
    'duration_ms',
    'success',
    'tool_name',
    'function_name',
  ],
  ...['tool_use_id', 'call_id', 'app.version', 'originator', 'terminal.type', 'trace_id', 'span_id'],
  ...['parent_span_id', 'start', 'end', 'body', 'transcript_path', 'line', 'cwd'],
];

export function telemetrySummary(row: Row, attributes: Attributes): string {
  const { agent_type, source, status, model, event_type } = row;
  const summaries = summariesOf(agent_type);
  const asked = firstOf(attributes, ASKED, summaries);
  const failed = status === 'error' ? firstOf(attributes, [...FAILURES, OUTPUT], summaries) : null;
  const parts = [asked, failed].filter((text) => text !== null);
  if (parts.length > 0) return parts.join(' · ');
  // Its attributes are settings of the agent.
  if (source === 'otel' && event_type === 'session_start') return 'Session started';
  // Tokens and durations have columns of their own.
  if (event_type.startsWith('llm_') && model !== null) return model;
  return membersOf(attributes, KNOWN) ?? model ?? '';
}

function firstOf(attributes: Attributes, keys: readonly string[], summaries: Summaries): string | null {
  for (const key of keys) {
    const text = Object.hasOwn(attributes, key) ? textOf(read(attributes[key]), summaries) : null;
    if (text !== null) return text;
  }
  return null;
}

/** Parses an object in a text; for a single member, returns that member. */
function read(value: unknown): unknown {
  if (typeof value !== 'string' || !value.startsWith('{')) return value;
  try {
    const parsed: unknown = JSON.parse(value);
    if (!isObject(parsed)) return value;
    const members = Object.values(parsed);
    return members.length === 1 ? members[0] : parsed;
  } catch {
    // The agent cut off the text, or the text is not JSON.
    return value;
  }
}
