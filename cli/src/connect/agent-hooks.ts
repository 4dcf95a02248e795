/**
 * Builds the hook handlers of an agent, by event, from its recipe. Handlers have the form of Claude Code
 * (https://code.claude.com/docs/en/hooks), which other agents take too.
 *
 * It uses commands. Without curl it uses HTTP hooks where the agent supports them, and otherwise none. Invariant: it
 * recognises exactly its own handlers, to the byte, and no handler contains a secret. Knows nothing of files.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Place, type ServerAddress, TOKEN_VARIABLE } from './agent.ts';
import { commandOf, earlierCommandOf, type HookCommand, readCommand } from './hook-command.ts';
import type { HookKind } from './hooks-edit.ts';
import { isObject } from './json-object.ts';
import type { Recipe } from './recipe.ts';

export interface HttpHandler {
  readonly type: 'http';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly allowedEnvVars?: readonly string[];
  readonly timeout: number;
}

export interface CommandHandler {
  readonly type: 'command';
  readonly command: string;
  readonly timeout: number;
}

export type Handler = HttpHandler | CommandHandler;

/** The hooks of one agent. */
export class AgentHooks implements HookKind {
  readonly hasComments: boolean;
  /** The route for its hooks, as in contract/routes.json. */
  readonly path: string;
  readonly #recipe: NonNullable<Recipe['hooks']>;

  /** Requires a recipe with hooks. */
  constructor({ name, hooks, comments }: Recipe) {
    this.path = `/api/hooks/${name}`;
    this.hasComments = comments === true;
    this.#recipe = hooks!;
  }

  /** Returns the handler of each event, in the contract's order. */
  handlersFor(server: ServerAddress, { hasCurl }: Pick<Place, 'hasCurl'>): ReadonlyMap<string, Handler> {
    const { events, http_timeout } = this.#recipe;
    if (!hasCurl && http_timeout === undefined) return new Map();
    return new Map(
      Object.entries(events).map(([event, kind]) => [
        event,
        hasCurl || kind === 'command' ? this.#command(server, commandOf) : this.#http(server),
      ]),
    );
  }

  isOwn(handler: unknown): boolean {
    const server = this.serverOf(handler);
    if (server === null) return false;
    const written = [
      ...(this.#recipe.http_timeout === undefined ? [] : [this.#http(server)]),
      ...[commandOf, earlierCommandOf].map((build) => this.#command(server, build)),
    ];
    return written.some((own) => isDeepStrictEqual(own, handler));
  }

  isAbout(handler: unknown, origin = ''): boolean {
    const { url, command } = isObject(handler) ? handler : {};
    return [url, command].some((text) => typeof text === 'string' && text.includes(`${origin}${this.path}`));
  }

  describe(handler: unknown): string {
    const { type, url, command } = isObject(handler) ? handler : {};
    if (type === 'http') return `http     ${url}`;
    const server = this.serverOf(handler);
    return `command  ${server === null ? command : `sh, curl to ${server.origin}${this.path}`}`;
  }

  /** Returns the server of a handler that may be ours. */
  serverOf(handler: unknown): ServerAddress | null {
    const { url, command, headers } = isObject(handler) ? handler : {};
    const read = readCommand(command);
    const address = read === null ? url : read.url;
    if (typeof address !== 'string' || !address.endsWith(this.path)) return null;
    const origin = address.slice(0, -this.path.length);
    if (!URL.canParse(origin)) return null;
    // An HTTP hook does not name the token file. It only shows that there is one.
    return { origin, token_file: read?.token_file ?? (headers === undefined ? null : '') };
  }

  #http({ origin, token_file }: ServerAddress): HttpHandler {
    const token = {
      headers: { Authorization: `Bearer $${TOKEN_VARIABLE}` },
      allowedEnvVars: [TOKEN_VARIABLE],
    };
    return {
      type: 'http',
      url: `${origin}${this.path}`,
      ...(token_file === null ? {} : token),
      timeout: this.#recipe.http_timeout!,
    };
  }

  #command({ origin, token_file }: ServerAddress, build: (command: HookCommand) => string): CommandHandler {
    const command = build({ url: `${origin}${this.path}`, token_file });
    return { type: 'command', command, timeout: this.#recipe.timeout };
  }
}
