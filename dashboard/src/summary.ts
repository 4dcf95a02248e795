/**
 * Writes a line that describes an event: the summary of a hook or of a telemetry record, otherwise the most
 * informative text of its metadata.
 */
import type { Row } from './api.ts';
import { legible } from './format.ts';
import { hookSummary, isObject, membersOf } from './hook-summary.ts';
import { telemetrySummary } from './telemetry-summary.ts';

/** Members in order of preference. The first one with text, here or one level down, is used. */
const TELLING = [
  ...['command', 'file_path', 'query', 'pattern', 'error', 'message', 'prompt', 'description', 'text'],
  ...['content', 'path', 'url', 'title', 'name', 'reason', 'type'],
];
const MOST = 240;
/** The event that a server stores for the dismissal of a wait. */
const DISMISSAL = 'WaitDismissed';

/** What agents send in place of a prompt or an answer, unless the user allows the text (docs/agents.md). */
const HIDDEN: readonly string[] = ['<REDACTED>', '[REDACTED]'];

const lines = new WeakMap<Row, string>();

/** Whether an agent hid the text of an event. */
export function isHidden(row: Row): boolean {
  return HIDDEN.includes(summaryOf(row));
}

export function summaryOf(row: Row): string {
  let line = lines.get(row);
  if (line === undefined) {
    line = legible(lineOf(row), MOST);
    lines.set(row, line);
  }
  return line;
}

function lineOf(row: Row): string {
  const { agent_type, source, source_event, metadata } = row;
  if (source === 'hook' && isObject(metadata)) return hookSummary(agent_type, source_event, metadata);
  if (source === 'otel' && isObject(metadata)) return telemetrySummary(row, metadata);
  // `twin-ingest import` names its members like those of hooks and telemetry.
  if (source === 'import' && isObject(metadata) && 'transcript_path' in metadata)
    return telemetrySummary(row, metadata);
  if (source_event === DISMISSAL) return 'A person dismissed the wait';
  return telling(metadata) ?? whereabouts(row);
}

function telling(metadata: unknown): string | null {
  if (typeof metadata === 'string') return metadata;
  if (!isObject(metadata)) return Array.isArray(metadata) ? `${metadata.length} items` : null;
  const inside = Object.values(metadata).filter(isObject);
  for (const key of TELLING) {
    for (const one of [metadata, ...inside]) {
      const value = Object.hasOwn(one, key) ? one[key] : undefined;
      if (typeof value === 'string' && value.trim() !== '') return value;
    }
  }
  return membersOf(metadata, []);
}

function whereabouts({ project, branch, model }: Row): string {
  return [project, branch, model].filter((part) => part !== null).join(' · ');
}
