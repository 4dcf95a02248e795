/**
 * Writes structured JSON lines to stderr (rule PRO-01). Never logs a body or a token.
 *
 * Lines are written synchronously: they are few, and the last ones before an exit matter most.
 */
import { destination, type Logger, pino } from 'pino';

export type Log = Logger;

export type LogLevel = 'error' | 'warn' | 'info' | 'debug' | 'trace';

export function openLog(level: LogLevel): Log {
  const timestamp = (): string => `,"timestamp":"${new Date().toISOString()}"`;
  const options = { level, base: null, messageKey: 'message', timestamp };
  const formatters = { level: (label: string) => ({ level: label.toUpperCase() }) };
  return pino({ ...options, formatters }, destination({ fd: 2, sync: true }));
}
