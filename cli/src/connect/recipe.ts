/**
 * The recipes of all agents: `contract/connect.json`, which is generated from `contract/agents/NAME/connect.json`.
 *
 * A recipe says which settings make an agent send. Its `format` names the module that edits and reads them.
 */
import RECIPES from '../../../contract/connect.json' with { type: 'json' };

/**
 * `json` has hooks, a member for telemetry, or both in one file. `env` has hooks and variables. `toml` has an exporter,
 * and hooks in a second file. `plugin` is a file of our own.
 */
export type Format = 'json' | 'env' | 'toml' | 'plugin';

export interface Recipe {
  /** The name of its folder in the contract. */
  readonly name: string;
  /** Its name on the command line. */
  readonly command: string;
  readonly label: string;
  readonly agent_type: string;
  readonly format: string;
  /** The lines of `connect --help`. */
  readonly help: readonly string[];
  readonly settings?: SettingsPlace;
  /** Whether the settings may contain comments. */
  readonly comments?: boolean;
  readonly hooks?: HookRecipe;
  readonly member?: MemberRecipe;
  /** Variables of the shell, for what no setting can say. */
  readonly shell?: Readonly<Record<string, string>>;
  /** The variable from which its exporter reads headers, if not that for logs alone. */
  readonly headers_variable?: string;
  readonly advice?: readonly string[];
  readonly advice_without_curl?: readonly string[];
}

/** Where an agent has its settings: `file` in the folder that `variable` names, else in `folder`. */
export interface SettingsPlace {
  readonly variable?: string;
  /** The variable that replaces the user's home. */
  readonly home_variable?: string;
  /** Relative to the user's home, and to a project. */
  readonly folder: string;
  readonly file: string;
  /** Whether a project may have settings of its own. */
  readonly project?: boolean;
  /** Machine-wide settings, which override all others. */
  readonly system?: { readonly variable: string; readonly linux: string; readonly darwin: string };
}

export interface HookRecipe {
  /** Time limit of a command, in the unit of the agent. */
  readonly timeout: number;
  /** Time limit of an HTTP hook; absent for an agent without them. */
  readonly http_timeout?: number;
  /** For each event, what a machine without curl uses. */
  readonly events: Readonly<Record<string, string>>;
}

/** A member of the settings. In its value `{origin}` is the address of the server. */
export interface MemberRecipe {
  readonly name: string;
  readonly value: Readonly<Record<string, unknown>>;
  /** Variables that override a key of the member, in ascending precedence. */
  readonly variables: Readonly<Record<string, string>>;
}

export const ALL_RECIPES: readonly Recipe[] = RECIPES.agents;

/** Returns the only recipe of a format that one agent has. */
export function recipeOf(format: Format): Recipe {
  return ALL_RECIPES.find((recipe) => recipe.format === format)!;
}

/** Joins names as in a sentence. */
export function listed(names: readonly string[], last: 'and' | 'or'): string {
  return `${names.slice(0, -1).join(', ')} ${last} ${names.at(-1)}`;
}
