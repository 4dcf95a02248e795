/**
 * Writes structured JSON lines to stderr (rule PRO-01). Never logs a body or a token.
 *
 * Lines are written synchronously: they are few, and the last ones before an exit matter most.
 */
import { writeSync } from 'node:fs';
import { destination, type Logger, pino, stdTimeFunctions } from 'pino';
import type { LogLevel } from './contract/flags.ts';

export type Log = Logger;

export function openLog(level: LogLevel): Log {
  // The name of the member in the log of server-rs.
  const timestamp = (): string => stdTimeFunctions.isoTime().replace('time', 'timestamp');
  const options = { level, base: null, messageKey: 'message', timestamp };
  const formatters = { level: (label: string) => ({ level: label.toUpperCase() }) };
  const lines = destination({ fd: 2, sync: true });
  return pino({ ...options, formatters }, { write: (line) => void lines.write(printable(line)) });
}

const HIDDEN = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** Returns whether a terminal shows every character of a text. */
export function isPrintable(text: string): boolean {
  return !/\p{Cc}/u.test(text) && text.search(HIDDEN) < 0;
}

/** Writes a line for people to stderr, such as the reason of an exit code. */
export function complain(line: string): void {
  writeSync(2, `${printable(line).replace(/\p{Cc}/gu, escapeOf)}\n`);
}

/**
 * Replaces characters that a terminal obeys, or that hide or reorder text, by their JSON escapes. JSON itself escapes
 * U+0000 to U+001F. All others occur only in strings.
 */
export function printable(line: string): string {
  return line.replace(HIDDEN, escapeOf);
}

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
