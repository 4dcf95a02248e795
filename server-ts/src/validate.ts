/**
 * Turns the fields of an event into its values, or into all their problems (rules EVT-01 to EVT-14).
 *
 * Pure: no I/O, no clock, no state. Implements rules EVT-01 to EVT-14, MET-01 and MET-02; messages come from the
 * vocabulary.
 */
import { VOCABULARY } from './contract.ts';
import { type EventTable, type FieldError, NOT_JSON, type RawEvents } from './event.ts';
import { FIELD, FIELD_SPECS, INT_WIDTH, WAIT } from './field.ts';
import { Checker } from './fields.ts';
import { NO_CHANGE } from './waits.ts';

const ERROR_TYPE = VOCABULARY.event_types.indexOf('error');
const ERROR_STATUS = VOCABULARY.statuses.indexOf('error');

/** Checks one item of a body; returns its problems, if any. */
type Validate = (index: number) => readonly FieldError[] | undefined;

/**
 * Checks items of a scanned body one after the other. A valid item becomes the next row of the table. An invalid one
 * adds no row, and its problems are returned.
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
  const start = checker.spans[item]!;
  if (checker.body[start] !== 0x7b) {
    const { object, json_line: line } = VOCABULARY.field_messages;
    return [{ field: 'body', message: start === NOT_JSON ? line : object }];
  }
  for (const field of FIELD_SPECS) checker.value(field);
  if (checker.problems !== undefined) return checker.problems;
  const { table } = checker;
  const { ints } = table;
  const int = table.count * INT_WIDTH;
  // Rule EVT-03.
  if (ints[int + FIELD.event_type.column] === ERROR_TYPE && checker.isAbsent(FIELD.status))
    ints[int + FIELD.status.column] = ERROR_STATUS;
  checker.metadata(maxMetadataBytes);
  ints[int + WAIT] = NO_CHANGE;
  table.count++;
  return undefined;
}
