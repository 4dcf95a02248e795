/**
 * Turns the fields of an event into its values, or into every problem that they have (rules EVT-01 to EVT-14).
 *
 * Pure: no I/O, no clock, no state. Rules EVT-01 to EVT-14 and MET-01, MET-02; messages are those of the
 * vocabulary.
 */
import { VOCABULARY } from './contract.ts';
import {
  type EventTable,
  type FieldError,
  INT,
  INT_WIDTH,
  NUMBER,
  NUMBER_WIDTH,
  type RawEvents,
} from './event.ts';
import { Checker } from './fields.ts';

const EVENT_TYPES = VOCABULARY.event_types.map((word) => Buffer.from(word));
const STATUSES = VOCABULARY.statuses.map((word) => Buffer.from(word));
const SOURCES = VOCABULARY.sources.map((word) => Buffer.from(word));
const ERROR_TYPE = VOCABULARY.event_types.indexOf('error');
const ERROR_STATUS = VOCABULARY.statuses.indexOf('error');
const SUCCESS_STATUS = VOCABULARY.statuses.indexOf('success');
const API_SOURCE = VOCABULARY.sources.indexOf('api');

/** Checks one item of a body: nothing, or its problems. */
type Validate = (index: number) => readonly FieldError[] | undefined;

/**
 * Checks items of a scanned body one after the other. A valid one becomes the next row of the table; one with
 * problems leaves no row, and the problems are returned.
 */
export function validator(raw: RawEvents, table: EventTable, maxMetadataBytes: number): Validate {
  const checker = new Checker(raw, table);
  return (index) => validateEvent(checker, raw.at(index), maxMetadataBytes);
}

function validateEvent(
  checker: Checker,
  item: number,
  maxMetadataBytes: number,
): readonly FieldError[] | undefined {
  checker.item = item;
  checker.problems = undefined;
  if (checker.body[checker.spans[item]!] !== 0x7b)
    return [{ field: 'body', message: VOCABULARY.field_messages.object }];
  const { table } = checker;
  const int = table.count * INT_WIDTH;
  const number = table.count * NUMBER_WIDTH;
  const { ints, numbers } = table;

  checker.text('session_id', int + INT.sessionId, true);
  checker.text('agent_type', int + INT.agentType, true);
  const eventType = checker.choice('event_type', EVENT_TYPES, true);
  const status = checker.choice('status', STATUSES, false);
  checker.text('event_id', int + INT.eventId, false);
  checker.text('tool_name', int + INT.toolName, false);
  checker.text('branch', int + INT.branch, false);
  checker.text('project', int + INT.project, false);
  checker.text('model', int + INT.model, false);
  numbers[number + NUMBER.durationMs] = checker.integer('duration_ms', Number.NaN);
  numbers[number + NUMBER.tokensIn] = checker.integer('tokens_in', 0);
  numbers[number + NUMBER.tokensOut] = checker.integer('tokens_out', 0);
  numbers[number + NUMBER.cacheReadTokens] = checker.integer('cache_read_tokens', 0);
  numbers[number + NUMBER.cacheWriteTokens] = checker.integer('cache_write_tokens', 0);
  numbers[number + NUMBER.costNanos] = checker.costNanos();
  numbers[number + NUMBER.clientTimestamp] = checker.clientTimestamp();
  const source = checker.choice('source', SOURCES, false);
  if (checker.problems !== undefined) return checker.problems;

  ints[int + INT.eventType] = eventType;
  ints[int + INT.status] = status >= 0 ? status : eventType === ERROR_TYPE ? ERROR_STATUS : SUCCESS_STATUS;
  ints[int + INT.source] = source >= 0 ? source : API_SOURCE;
  ints[int + INT.truncated] = checker.metadata(int + INT.metadata, maxMetadataBytes) ? 1 : 0;
  table.count++;
  return undefined;
}
