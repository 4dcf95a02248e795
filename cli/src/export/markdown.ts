/**
 * Writes a session as Markdown for a reader: its figures, then prompts, answers, calls and errors in order.
 *
 * Pure. Steps that only announce or describe others are left out, and so are answers whose text was just written.
 */
import type { EventRow, Session } from '@twin-ingest/client';
import { memberAt } from '@twin-ingest/mapping/path.ts';
import { isObject } from '@twin-ingest/mapping/problems.ts';

const PROMPTS = ['prompt', 'prompt_text'];
const ANSWERS = ['text', 'last_assistant_message', 'delta', 'response', 'message'];
const INPUTS = ['tool_input', 'arguments', 'tool_parameters', 'input', 'command'];
const OUTPUTS = ['tool_response', 'output', 'error', 'result'];
const ERRORS = ['error', 'error_message', 'message'];

export function headOf(session: Session): string {
  const facts: [string, string | number | null][] = [
    ['Agent', session.agent_type],
    ['Project', session.project],
    ['Branch', session.branch],
    ['Model', session.model],
    ['Started', session.started_at],
    ['Last event', session.last_event_at],
    ['Status', session.status],
    ['Events', session.event_count],
    ['Errors', session.error_count],
    ['Tokens in', session.tokens_in],
    ['Tokens out', session.tokens_out],
    ['Tokens read from the cache', session.cache_read_tokens],
    ['Tokens written to the cache', session.cache_write_tokens],
    ['Cost in US dollars, reported', session.total_cost_usd],
    ['Cost in US dollars, computed', session.total_computed_cost_usd],
    ['Tokens without a price', session.unpriced_tokens > 0 ? session.unpriced_tokens : null],
  ];
  const lines = facts.flatMap(([name, value]) =>
    value === null ? [] : [`- ${name}: ${inline(String(value))}`],
  );
  return `# Session ${inline(session.id)}\n\n${lines.join('\n')}\n`;
}

export class Writer {
  /** The last answer: a hook and a log may report it again. */
  #answer = '';

  /** Returns the part of the document for an event; empty for an event that is left out. */
  part(row: EventRow): string {
    const { event_type, status, agent_id, time } = row;
    const who = agent_id === null ? '' : `, subagent ${inline(agent_id)}`;
    if (event_type === 'user_prompt') {
      this.#answer = '';
      return `\n## Prompt\n\n_${time}${who}_\n\n${quoted(textAt(row, PROMPTS) ?? 'Without text')}\n`;
    }
    if (event_type === 'response') return this.#answered(row, `_${time}${who}_`);
    if (event_type === 'tool_use') return callOf(row, `${time}${who}`);
    if (event_type === 'session_start' || event_type === 'session_end')
      return `\n_${time}: ${event_type === 'session_start' ? 'the session began' : 'the session ended'}_\n`;
    if (event_type === 'error' || status === 'error')
      return `\n**Error** _${time}${who}_\n\n${fenced(textAt(row, ERRORS) ?? inline(row.source_event ?? event_type))}`;
    return '';
  }

  #answered(row: EventRow, when: string): string {
    const text = textAt(row, ANSWERS);
    if (text === undefined || text === this.#answer || text === '<REDACTED>') return '';
    this.#answer = text;
    return `\n### Answer\n\n${when}\n\n${quoted(text)}\n`;
  }
}

function callOf(row: EventRow, when: string): string {
  const { tool_name, duration_ms, status } = row;
  const took = duration_ms === null ? '' : `, ${duration_ms} ms`;
  const failed = status === 'success' ? '' : `, ${status}`;
  const parts = [textAt(row, INPUTS), textAt(row, OUTPUTS)].filter((text) => text !== undefined);
  return `\n**${inline(tool_name ?? 'A call')}** _${when}${took}${failed}_\n${parts.map((text) => `\n${fenced(text)}`).join('')}`;
}

/** Returns the first text among the members of metadata; an object is written as JSON. */
function textAt({ metadata }: EventRow, names: readonly string[]): string | undefined {
  if (!isObject(metadata)) return undefined;
  for (const name of names) {
    const value = Object.hasOwn(metadata, name) ? metadata[name] : undefined;
    if (typeof value === 'string' && value.trim() !== '') return value;
    if (typeof value !== 'object' || value === null) continue;
    // Results of tools hold a text, or a list of objects with texts.
    const known = [['command'], ['stdout'], ['stderr'], ['text'], ['content', 'text']].map((keys) =>
      memberAt(value, keys),
    );
    const texts = known.flat().filter((one) => typeof one === 'string' && one !== '');
    return texts.length > 0 ? texts.join('\n') : JSON.stringify(value, null, 2);
  }
  return undefined;
}

/** Returns the text as a block that it cannot end. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text.replace(/\n$/, '')}\n${fence}\n`;
}

/** Returns the text as a quotation, whose Markdown applies only inside it. */
function quoted(text: string): string {
  return text
    .trim()
    .split(/\r\n|\r|\n/)
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

/** Returns the text on one line, without Markdown. */
function inline(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>#|]/g, (one) => `\\${one}`);
}
