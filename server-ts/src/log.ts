/**
 * Writes structured JSON lines to stderr (rule PRO-01). Never logs a body or a token.
 *
 * Lines are written synchronously: they are few, and the last ones before an exit matter most.
 */
import { destination, type Logger, pino, stdTimeFunctions } from 'pino';

export type Log = Logger;

export type LogLevel = 'error' | 'warn' | 'info' | 'debug' | 'trace';

export function openLog(level: LogLevel): Log {
  // The name of the member in the log of server-rs.
  const timestamp = (): string => stdTimeFunctions.isoTime().replace('time', 'timestamp');
  const options = { level, base: null, messageKey: 'message', timestamp };
  const formatters = { level: (label: string) => ({ level: label.toUpperCase() }) };
  return pino({ ...options, formatters }, destination({ fd: 2, sync: true }));
}
