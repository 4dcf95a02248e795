/**
 * Reads and checks the text of a JSON settings file before an edit.
 *
 * Invariant: it reads the same values as the agent. A repeated key is an error, since the edit could change one and
 * the agent read the other.
 */
import { type Node, type ParseError, parse, parseTree, printParseErrorCode } from 'jsonc-parser';
import { SettingsError } from './agent.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns the text of an object. A missing file or an empty text counts as an empty object. */
export function objectText(text: string | null): string {
  return text === null || text.trim() === '' ? '{}\n' : text;
}

/** Parses the text as an object. `hasComments` is whether the agent's settings may contain comments. */
export function readObject(text: string, hasComments = false): JsonObject {
  let settings: unknown;
  try {
    settings = hasComments ? withComments(text) : JSON.parse(text);
  } catch (error) {
    throw new SettingsError('not_json', `is not JSON: ${error instanceof Error ? error.message : error}`);
  }
  if (!isObject(settings)) throw new SettingsError('shape', 'is no JSON object');
  return settings;
}

/**
 * Returns the object at a key of the settings; `undefined` if it is absent. Throws if a key is repeated in that object
 * or next to it.
 */
export function readMember(text: string, key: string, hasComments = false): JsonObject | undefined {
  const value = readObject(text, hasComments)[key];
  const twice = keyGivenTwice(parseTree(text), key, 0);
  if (twice !== undefined) throw new SettingsError('twice', `has the key ${JSON.stringify(twice)} twice`);
  if (value !== undefined && !isObject(value))
    throw new SettingsError('shape', `has ${JSON.stringify(key)} that is no object`);
  return value;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withComments(text: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors);
  const [first] = errors;
  if (first !== undefined) throw new SyntaxError(`${printParseErrorCode(first.error)} at ${first.offset}`);
  return value;
}

/** Returns a key that is repeated in the object itself or anywhere below `inside`. */
function keyGivenTwice(node: Node | undefined, inside: string, depth: number): string | undefined {
  const seen = new Set<string>();
  for (const child of node?.children ?? []) {
    let value: Node | undefined = child;
    if (child.type === 'property') {
      const key = String(child.children![0]!.value);
      if (seen.has(key)) return key;
      seen.add(key);
      value = depth > 0 || key === inside ? child.children![1] : undefined;
    }
    const found = keyGivenTwice(value, inside, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
