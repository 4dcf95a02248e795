/** Names the reason why a command of the server ends, with its exit code (rule PRO-15). */

import { EXITS } from '../contract/flags.ts';
import { fill } from '../contract.ts';
import { OpenError } from '../store/connection.ts';
import { CopyError } from '../store/copy.ts';
import { fileCode, type StoreCode, sqliteCode, storeCode } from '../store/failure.ts';

const { dump, target: targetExit } = EXITS;

/** A message of `exits.dump` in `config.json`. */
type DumpMessage = Exclude<keyof typeof dump, 'code'>;

/** The exit code, and a message for the user; an empty one prints nothing. */
export class CommandFailure extends Error {
  readonly exit: number;

  constructor(exit: number, message: string) {
    super(message);
    this.name = 'CommandFailure';
    this.exit = exit;
  }

  /** Returns a failure whose reason the output already states. */
  static silent(exit: number): CommandFailure {
    return new CommandFailure(exit, '');
  }

  /** Returns the failure of a copy to `target`; the error itself when it has another cause. */
  static copy(error: unknown, target: string): unknown {
    if (error instanceof OpenError) return new CommandFailure(error.exit, error.message);
    if (!(error instanceof CopyError)) return error;
    if (error.code !== 'exists') return CommandFailure.unwritable(target, error.code);
    return new CommandFailure(targetExit.code, fill(targetExit.exists, { path: target }));
  }

  /** Returns the failure of a file that cannot be written. */
  static unwritable(path: string, reason: StoreCode): CommandFailure {
    return new CommandFailure(targetExit.code, fill(targetExit.unwritable, { path, reason }));
  }

  /** Returns the failure of standard output. */
  static output(error: unknown): CommandFailure {
    return CommandFailure.unwritable('stdout', fileCode(error));
  }

  /** Returns the failure of a read of the database at `path`; the error itself when it has another cause. */
  static database(path: string, error: unknown): unknown {
    if (error instanceof OpenError) return new CommandFailure(error.exit, error.message);
    const code = sqliteCode(error);
    if (code === undefined) return error;
    const reason = storeCode(error);
    if (reason === 'storage_corrupt') return CommandFailure.database(path, OpenError.of('corrupt', { path }));
    if (/^SQLITE_(BUSY|LOCKED)/.test(code))
      return CommandFailure.database(path, OpenError.locked(path, undefined));
    return CommandFailure.database(path, OpenError.of('unusable', { path, reason }));
  }

  /** Returns the refusal of a line, counted from 1, with a message of `exits.dump` in `config.json`. */
  static line(line: number, message: DumpMessage): CommandFailure {
    return CommandFailure.ofDump(message, { line });
  }

  /** Returns the refusal of a dump as a whole. */
  static ofDump(message: DumpMessage, values: Readonly<Record<string, string | number>>): CommandFailure {
    return new CommandFailure(dump.code, fill(dump[message], values));
  }
}

/** Returns the code of a failed write of the database that a load creates; `undefined` when the line is at fault. */
export function writeCode(error: unknown): StoreCode | undefined {
  const code = sqliteCode(error) === undefined ? fileCode(error) : storeCode(error);
  return code === 'internal' ? undefined : code;
}
