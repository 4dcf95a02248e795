/**
 * Generates `client-ts/src/rpc-methods.ts`: the methods of `rpc.json` as types and as data, for the typed caller of the
 * client.
 *
 * It translates only the types of RPC-04. Any other type is an error.
 */
import type { JsonObject } from '../contract-facts.ts';
import { exported } from './types.ts';

interface Param {
  readonly name: string;
  readonly type: string;
  readonly schema?: string;
  readonly parameters_of?: string;
  readonly optional?: boolean;
}

interface MethodSpec {
  readonly params: readonly Param[];
  readonly result: { readonly type?: string; readonly schema?: string };
  readonly bench?: boolean;
}

export interface RpcSchema {
  readonly dictionaries: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly methods: Readonly<Record<string, MethodSpec>>;
}

/** The client's types for the query parameters of routes. */
const QUERIES: Readonly<Record<string, string>> = {
  '/api/events': 'EventsQuery',
  '/api/sessions': 'SessionsQuery',
  '/api/stats': 'StatsQuery',
  '/api/snapshot/{topic}': 'SnapshotQuery',
};

export function rpcMethods(
  { dictionaries, methods }: RpcSchema,
  words: { readonly rpc_messages: JsonObject },
  limits: { readonly rpc_sequence_items: number },
): string {
  const imports = new Set<string>();
  const use = (name: string): string => {
    imports.add(name);
    return name;
  };
  const shapes = Object.entries(dictionaries).map(([name, members]) => {
    const lines = Object.entries(members).map(
      ([member, type]) => `  readonly ${member}: ${plain(type, dictionaries)};\n`,
    );
    return `/** The dictionary \`${name}\`. */\nexport interface ${capital(name)} {\n${lines.join('')}}\n`;
  });
  const groups = Map.groupBy(Object.entries(methods), ([name]) => name.split('.')[0]!);
  const interfaces = [...groups].map(([group, list]) => {
    const lines = list.map(([name, { params, result }]) => {
      const given = params.map(({ name: param, type, schema, parameters_of, optional }) => {
        const text =
          schema !== undefined
            ? `readonly ${use(exported(schema))}[]`
            : parameters_of !== undefined
              ? use(QUERIES[parameters_of]!)
              : plain(type, dictionaries);
        return `${param}${optional === true ? '?' : ''}: ${text}`;
      });
      const answer =
        result.schema === undefined ? plain(result.type!, dictionaries) : use(exported(result.schema));
      return `    ${name.split('.')[1]}(${given.join(', ')}): Promise<${answer}>;\n`;
    });
    const about = list.every(([, { bench }]) => bench)
      ? '  /** Only on a server with `--bench` (RPC-06). */\n'
      : '';
    return `${about}  readonly ${group}: {\n${lines.join('')}  };\n`;
  });
  const data = Object.entries(methods).map(([name, { params, result }]) => {
    const list = params.map(({ type, optional }) => `['${type}', ${optional === true}]`);
    const { type = null } = result;
    return `  // biome-ignore format: one method a line\n  '${name}': [[${list.join(', ')}], ${type === null ? null : `'${type}'`}],\n`;
  });
  return `/** Generated from \`contract/rpc.json\` by \`pnpm contract:update\`: methods, types and messages of typed calls. */
import type {
${[...imports]
  .toSorted()
  .map((name) => `  ${name},\n`)
  .join('')}} from './contract.ts';

${shapes.join('\n')}
/** The methods of a server (contract, "Typed calls"). */
export interface Rpc {
${interfaces.join('')}}

/** The members of each dictionary, in order. */
export const DICTIONARIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
${Object.entries(dictionaries)
  .map(
    ([name, members]) =>
      `  ${name}: { ${Object.entries(members)
        .map(([member, type]) => `${member}: '${type}'`)
        .join(', ')} },\n`,
  )
  .join('')}};

/**
 * For each method: the type of each argument and whether it is optional, and the type of the result unless a schema
 * defines it.
 */
export const METHODS: Readonly<
  Record<string, readonly [params: readonly (readonly [string, boolean])[], result: string | null]>
> = {
${data.join('')}};

export const MESSAGES = {
${Object.entries(words.rpc_messages)
  .map(
    ([name, text]) => `  ${name}: '${String(text).replace('{limit}', String(limits.rpc_sequence_items))}',\n`,
  )
  .join('')}} as const;

/** Largest number of items of a sequence. */
export const SEQUENCE_ITEMS = ${limits.rpc_sequence_items};
`;
}

/** Returns a type of RPC-04 as a TypeScript type. */
function plain(type: string, dictionaries: RpcSchema['dictionaries']): string {
  const item = /^sequence<(\w+)>$/.exec(type)?.[1];
  if (item !== undefined) return `readonly ${plain(item, dictionaries)}[]`;
  if (type in dictionaries) return capital(type);
  const known: Readonly<Record<string, string>> = {
    long: 'number',
    double: 'number',
    boolean: 'boolean',
    DOMString: 'string',
    any: 'unknown',
  };
  const text = known[type];
  if (text === undefined) throw new TypeError(`rpc.json: no type ${type} is known`);
  return text;
}

function capital(name: string): string {
  return name[0]!.toUpperCase() + name.slice(1);
}
