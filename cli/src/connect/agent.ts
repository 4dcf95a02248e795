/**
 * What `connect` knows of an agent: which files hold its settings, and how the text of each is edited.
 *
 * One module per agent implements `Agent`. Invariant: an edit done twice is an edit done once, and `disconnected`
 * after `connected` gives the earlier text. Edits do not use the file system.
 */

/** Where an agent sends what it does. */
export interface ServerAddress {
  /** `http://127.0.0.1:3141`, without a path. */
  readonly origin: string;
  /** Absolute; of a server that wants a token. */
  readonly token_file: string | null;
}

/** The folders and variables that decide which settings an agent reads. */
export interface Place {
  readonly home: string;
  /** The folder of the project. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The root of the paths of the whole machine; `/` but in tests. */
  readonly system: string;
  readonly platform: NodeJS.Platform;
}

/** Which settings file is written instead of the user's own. */
export type Choice = { readonly file: string } | 'project' | 'own';

/**
 * `keep`: ours, but changed by hand since, so that it is no longer ours to change.
 * `conflict`: the user's own setting, which ours would override.
 */
export type ChangeKind = 'add' | 'remove' | 'keep' | 'conflict';

export interface Change {
  readonly kind: ChangeKind;
  readonly name: string;
  readonly value: string;
}

/** A text is `null` where there is no file; `edited` of `null` removes it. */
export interface Edit {
  readonly text: string | null;
  readonly changes: readonly Change[];
}

/** An edit of a file that stays. */
export interface TextEdit extends Edit {
  readonly text: string;
}

/** A file of settings, and its edits. */
export interface SettingsPart {
  readonly path: string;
  connected(text: string | null, server: ServerAddress): Edit;
  disconnected(text: string | null): Edit;
}

export interface Agent {
  /** As on the command line. */
  readonly name: string;
  readonly label: string;
  /** Of its events. */
  readonly agent_type: string;
  /** Whether `--project` has a meaning. */
  readonly hasProjects: boolean;
  parts(place: Place, choice: Choice): readonly SettingsPart[];
  /** What the user should know or do after connecting, as sentences. */
  advice(server: ServerAddress, place: Place): readonly string[];
}

/** `not_json` and `not_toml` concern the text, `twice` a key, `shape` what the text holds. */
export type SettingsProblem = 'not_json' | 'not_toml' | 'twice' | 'shape';

export class SettingsError extends Error {
  readonly code: SettingsProblem;
  constructor(code: SettingsProblem, message: string) {
    super(message);
    this.name = 'SettingsError';
    this.code = code;
  }
}

/** Holds the token for agents that take it from the environment; the servers refuse variables of their own that they do not know. */
export const TOKEN_VARIABLE = 'TWIN_INGEST_TOKEN';

/** The variable from which OTLP exporters take headers for logs, and for nothing else. */
export const HEADERS_VARIABLE = 'OTEL_EXPORTER_OTLP_LOGS_HEADERS';

/** As in contract/routes.json. */
export const LOGS_PATH = '/v1/logs';

/** The commands that put the token into the environment. */
export function tokenAdvice({ token_file }: ServerAddress, label: string): string[] {
  if (token_file === null) return [];
  return [
    `The settings do not hold the token. Start ${label} from a shell that has it:`,
    `  export ${TOKEN_VARIABLE}="$(cat ${quote(token_file)})"`,
    `  export ${HEADERS_VARIABLE}="Authorization=Bearer $${TOKEN_VARIABLE}"`,
  ];
}

/** As one word of a shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Whether the address stays on this machine. */
export function isLoopback(origin: string): boolean {
  const { hostname } = new URL(origin);
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127\./.test(hostname)
  );
}
