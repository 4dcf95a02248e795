/** Reads the methods and types of typed calls from `rpc.json` (rules RPC-03 to RPC-06). */
import { ROUTES, type RouteSpec, RPC } from '../contract.ts';

/** The type of a value. */
export type Type =
  | { readonly kind: 'long' | 'double' | 'boolean' | 'string' | 'any' }
  | { readonly kind: 'sequence'; readonly item: Type }
  | { readonly kind: 'dictionary'; readonly members: readonly Member[] }
  | { readonly kind: 'options'; readonly route: RouteSpec };

/** A member of a dictionary, in the order of the schema. */
interface Member {
  readonly name: string;
  readonly type: Type;
}

/** One parameter of a method. */
export interface Parameter {
  readonly type: Type;
  readonly isOptional: boolean;
}

/** The service that runs a method. */
export type Service = 'ingest' | 'events' | 'stats' | 'sessions' | 'snapshot' | 'echo';

/** One method. */
export interface Method {
  readonly service: Service;
  /** Its parameters, in the order of the arguments. */
  readonly parameters: readonly Parameter[];
  /** Whether it exists with `--bench` alone (rule RPC-06). */
  readonly isBench: boolean;
}

const SERVICES: Readonly<Record<string, Service>> = {
  'events.ingest': 'ingest',
  'events.query': 'events',
  'stats.get': 'stats',
  'sessions.list': 'sessions',
  'snapshot.get': 'snapshot',
};

const SEQUENCE = /^sequence<(.+)>$/;

/** Every method by its name. */
export const METHODS: ReadonlyMap<string, Method> = new Map(
  Object.entries(RPC.methods).map(([name, { params, bench }]) => {
    const parameters = params.map(({ type, parameters_of: path, optional }) => ({
      type: path === undefined ? typeOf(type) : { kind: 'options' as const, route: routeOf(path) },
      isOptional: optional === true,
    }));
    return [name, { service: SERVICES[name] ?? 'echo', parameters, isBench: bench === true }];
  }),
);

/** Returns the method of this name, if any. */
export function methodNamed(name: string, hasBench: boolean): Method | undefined {
  const method = METHODS.get(name);
  return method?.isBench === true && !hasBench ? undefined : method;
}

function typeOf(name: string): Type {
  const item = SEQUENCE.exec(name)?.[1];
  if (item !== undefined) return { kind: 'sequence', item: typeOf(item) };
  switch (name) {
    case 'long':
    case 'double':
    case 'boolean':
    case 'any':
      return { kind: name };
    case 'DOMString':
      return { kind: 'string' };
    default: {
      const members = RPC.dictionaries[name];
      if (members === undefined) throw new Error(`no type ${name} in rpc.json`);
      const list = Object.entries(members).map(([member, type]) => ({ name: member, type: typeOf(type) }));
      return { kind: 'dictionary', members: list };
    }
  }
}

function routeOf(path: string): RouteSpec {
  const route = ROUTES.find((known) => known.path === path);
  if (route === undefined) throw new Error(`no route ${path} in routes.json`);
  return route;
}
