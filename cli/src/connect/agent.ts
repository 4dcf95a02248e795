/**
 * Defines the interface between `connect` and an agent: its settings files, and the edits of their text.
 *
 * One module per format of settings implements `Agent`. Invariant: applying an edit twice equals applying it once, and
 * `disconnected` after `connected` restores the earlier text. Edits do not use the file system.
 */
import CONFIG from '../../../contract/config.json' with { type: 'json' };

const DEFAULTS = Object.fromEntries(CONFIG.options.map((option) => [option.name, option.default]));
/** The address of a server that is started without flags. */
export const DEFAULT_ORIGIN = `http://${DEFAULTS.host}:${DEFAULTS.port}`;

/** The server that an agent sends to. */
export interface ServerAddress {
  /** `http://127.0.0.1:3141`, without a path. */
  readonly origin: string;
  /** Absolute path of the token file; `null` for a server that requires no token. */
  readonly token_file: string | null;
}

/** The folders and variables that determine which settings an agent reads. */
export interface Place {
  readonly home: string;
  /** The folder of the project. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The root of machine-wide paths; `/` except in tests. */
  readonly system: string;
  readonly platform: NodeJS.Platform;
  /** Whether a hook can be a command that sends: not on Windows, and not without curl. */
  readonly hasCurl: boolean;
}

/** Which settings file to write: a named one, the project's, or the user's own. */
export type Choice = { readonly file: string } | 'project' | 'own';

/**
 * `keep`: this program wrote the entry, but it was changed by hand, so it stays. `conflict`: a setting of the user that
 * a new entry would override.
 */
export type ChangeKind = 'add' | 'remove' | 'keep' | 'conflict';

export interface Change {
  readonly kind: ChangeKind;
  readonly name: string;
  readonly value: string;
}

/** A `null` text means no file; `edited` of `null` removes the file. */
export interface Edit {
  readonly text: string | null;
  readonly changes: readonly Change[];
}

/** An edit that keeps the file. */
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
  /** Its name on the command line. */
  readonly name: string;
  readonly label: string;
  /** The `agent_type` of its events. */
  readonly agent_type: string;
  /** Whether `--project` applies. */
  readonly hasProjects: boolean;
  parts(place: Place, choice: Choice): readonly SettingsPart[];
  /** Advice for the user after connecting, as sentences. */
  advice(server: ServerAddress, place: Place): readonly string[];
}

/**
 * `not_a_file` concerns what has the name. `not_text`, `not_json` and `not_toml` concern the text, `twice` a repeated key, `shape` the structure of the text,
 * `link` the target of a symbolic link.
 */
export type SettingsProblem =
  | 'not_a_file'
  | 'not_text'
  | 'not_json'
  | 'not_toml'
  | 'twice'
  | 'shape'
  | 'link';

export class SettingsError extends Error {
  readonly code: SettingsProblem;
  constructor(code: SettingsProblem, message: string) {
    super(message);
    this.name = 'SettingsError';
    this.code = code;
  }
}

/**
 * Holds the token for agents that read it from the environment. Its name avoids the servers' own prefix, since they
 * refuse unknown variables of that prefix.
 */
export const TOKEN_VARIABLE = 'TWIN_INGEST_TOKEN';

/** The variable from which OTLP exporters read headers for logs alone. */
export const HEADERS_VARIABLE = 'OTEL_EXPORTER_OTLP_LOGS_HEADERS';

/** The route for logs, as in contract/routes.json. */
export const LOGS_PATH = '/v1/logs';

/** Returns the commands that put the token into the environment. */
export function tokenAdvice(
  { token_file }: ServerAddress,
  label: string,
  headers = HEADERS_VARIABLE,
): string[] {
  if (token_file === null) return [];
  return [
    `The settings do not hold the token. Start ${label} from a shell that has it:`,
    `  export ${TOKEN_VARIABLE}="$(cat ${quote(token_file)})"`,
    `  export ${headers}="Authorization=Bearer $${TOKEN_VARIABLE}"`,
  ];
}

/** Quotes text as one shell word. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Returns whether the address is on this machine. */
export function isLoopback(origin: string): boolean {
  const { hostname } = new URL(origin);
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127\./.test(hostname)
  );
}
