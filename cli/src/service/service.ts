/** The interface of a service manager's module, and the facts that all of them write. */

/** The server that the service runs. */
export interface Server {
  /** Absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  /** Receives the log where the manager has none of its own. */
  readonly log: string;
}

export interface Home {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The numeric id of the user; 0 where there is none. */
  readonly uid: number;
}

/** A command of the service manager: program and arguments. */
export type Step = readonly [string, ...string[]];

export interface Manager {
  /** Name in messages. */
  readonly label: string;
  /** Whether this project runs its commands. Otherwise the user does, because no test has run them. */
  readonly isTested: boolean;
  /** The file that defines the service. */
  path(home: Home): string;
  /** The content of that file; `MARK` is in one of its first lines. */
  definition(server: Server): string | Buffer;
  /** Commands after the file was written. */
  install(home: Home): readonly Step[];
  /** Commands before the file is removed, and after it. */
  uninstall(home: Home): { readonly before: readonly Step[]; readonly after: readonly Step[] };
  /** The command that prints whether the service runs. */
  status(home: Home): Step;
}

/** Proves that a file is of this command. */
export const MARK = 'Written by the command service install of twin-ingest; service uninstall removes it.';

export const DESCRIPTION = 'twin-ingest: events of coding agents on a local dashboard';

/** Exit codes of a server that a new start cannot mend (docs/embedding.md). */
export const FINAL_EXITS: readonly number[] = [2, 65, 69, 73];

export function escapeXml(text: string): string {
  const names: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' };
  return text.replace(/[&<>"]/g, (sign) => `&${names[sign]};`);
}
