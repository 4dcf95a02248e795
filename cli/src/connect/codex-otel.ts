/**
 * Edits the table `[otel]` of Codex's config.toml: an exporter of logs to a server of this project.
 *
 * It adds and removes lines; no other byte changes. A parser then checks that the text keeps its meaning except for
 * `otel.exporter`, so a line that only resembles a table does no harm. The value has the struct form: the short form
 * `exporter = "otlp-http"` makes every command of Codex fail. Codex uses the endpoint unchanged, so it includes the
 * path. Codex may write the file anew, without remarks and in another notation, so our exporter is also recognised by
 * its value and its server. Invariant: an exporter of the user is never changed.
 */
import { parse, stringify, type TomlTable } from 'smol-toml';
import { type Change, LOGS_PATH, type ServerAddress, SettingsError, type TextEdit } from './agent.ts';

/** Marks the end of each of our lines. */
const MARK = '# twin-ingest';
const HEADER = `[otel] ${MARK}`;
const OWN_LINE =
  /^exporter = \{ otlp-http = \{ endpoint = "([^"\\]+)", protocol = "json" \} \} # twin-ingest$/;
const OWN_BLOCK =
  /(?:(?:\r?\n){2}|^\s*)\[otel\] # twin-ingest\r?\nexporter = [^\r\n]* # twin-ingest(?=\r?\n|$)/;

/** Returns the line as a user would write it. */
export function exporterLine(origin: string): string {
  return `exporter = { otlp-http = { endpoint = "${origin}${LOGS_PATH}", protocol = "json" } }`;
}

/** Returns whether an exporter with our value and this origin is ours; a user may write the same value. */
export type IsOwnOrigin = (origin: string) => boolean;

export function withExporter(
  text: string,
  { origin }: ServerAddress,
  isOwnOrigin: IsOwnOrigin = () => false,
): TextEdit {
  const wanted = readToml(`${exporterLine(origin)}\n`).exporter;
  const { text: cleared, changes } = isSame(exporterOf(text), wanted)
    ? { text, changes: [] }
    : withoutExporter(text, isOwnOrigin);
  const exporter = exporterOf(cleared);
  if (isSame(exporter, wanted)) return { text, changes: [] };
  if (exporter !== undefined) {
    const kind = changes.some((change) => change.kind === 'keep') ? 'keep' : 'conflict';
    return { text, changes: [{ kind, name: 'otel.exporter', value: valueText(exporter) }] };
  }
  const line = `${exporterLine(origin)} ${MARK}`;
  const edited = inserted(cleared, line);
  const before = readToml(cleared);
  if (!means(edited, { ...before, otel: { ...tableOf(before.otel), exporter: wanted } }))
    throw new SettingsError(
      'shape',
      `has an [otel] that cannot be edited safely; add this to it yourself: ${line}`,
    );
  return { text: edited, changes: [...changes, addition(origin)] };
}

/** Removes our lines; lines changed by hand stay. */
export function withoutExporter(text: string, isOwnOrigin: IsOwnOrigin = () => false): TextEdit {
  const before = readToml(text);
  const lines = text.split(/\r?\n/);
  const line = lines.find((one) => OWN_LINE.test(one));
  if (line === undefined) {
    const origin = writtenOrigin(tableOf(before.otel).exporter);
    if (origin !== null && isOwnOrigin(origin)) return withoutValue(text, before, origin);
    const changed = lines.find((one) => one.startsWith('exporter') && one.endsWith(MARK));
    const kept: Change[] =
      changed === undefined ? [] : [{ kind: 'keep', name: 'otel.exporter', value: changed }];
    return { text, changes: kept };
  }
  const { exporter: _, ...otel } = tableOf(before.otel);
  // Lines that others added under our header belong to its table: then only our line is removed.
  const edited = [text.replace(OWN_BLOCK, '').replace(/^\r?\n$/, ''), withoutLine(text, line)].find((one) =>
    means(one, { ...before, otel }),
  );
  if (edited === undefined)
    throw new SettingsError('shape', `cannot be edited safely; remove this line yourself: ${line}`);
  const [, endpoint] = OWN_LINE.exec(line)!;
  return { text: edited, changes: [removal(endpoint!)] };
}

/** Returns the server of an exporter with the value that `exporterLine` gives it; `null` for any other value. */
export function writtenOrigin(exporter: unknown): string | null {
  const { endpoint } = tableOf(tableOf(exporter)['otlp-http']);
  if (typeof endpoint !== 'string' || !endpoint.endsWith(LOGS_PATH)) return null;
  const origin = endpoint.slice(0, -LOGS_PATH.length);
  return isSame(exporter, { 'otlp-http': { endpoint, protocol: 'json' } }) && URL.canParse(origin)
    ? origin
    : null;
}

/** Removes the exporter in any notation of whole lines, and the header of a table that becomes empty. */
function withoutValue(text: string, before: TomlTable, origin: string): TextEdit {
  const { exporter: _, ...otel } = tableOf(before.otel);
  const lines = text.split(/(?<=\n)/);
  let table: readonly string[] = [];
  const paths = lines.map((line) => {
    const path = pathOf(line);
    if (!/^\s*\[/.test(line)) return [...table, ...path];
    table = path;
    return path;
  });
  const without = (prefix: readonly string[]) =>
    lines.filter(
      (_, i) => !prefix.every((key, at) => paths[i]![at] === key) || pathOf(lines[i]!).length === 0,
    );
  // A line that only looks like one of these fails the comparison.
  const isEmpty = Object.keys(otel).length === 0;
  const edited = [...(isEmpty ? [without(['otel'])] : []), without(['otel', 'exporter'])]
    .map((left) => left.join(''))
    .find((one) => means(one, { ...before, otel }));
  if (edited === undefined)
    throw new SettingsError('shape', 'cannot be edited safely; remove otel.exporter yourself');
  return { text: edited, changes: [removal(`${origin}${LOGS_PATH}`)] };
}

/** Returns the keys that a line names: of a table's header, or before `=`. Empty for any other line. */
function pathOf(line: string): string[] {
  const keys: string[] = [];
  let value: unknown;
  try {
    value = parse(line);
  } catch {
    return [];
  }
  for (;;) {
    const inner: unknown = Array.isArray(value) ? value[0] : value;
    const [key] = Object.keys(tableOf(inner));
    if (key === undefined) return keys;
    keys.push(key);
    value = tableOf(inner)[key];
  }
}

export function readToml(text: string): TomlTable {
  try {
    return parse(text, { integersAsBigInt: true });
  } catch (error) {
    const [message] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw new SettingsError('not_toml', `is not TOML: ${message}`);
  }
}

/** Reads `otel.exporter` in any notation. */
export function exporterOf(text: string): unknown {
  return tableOf(readToml(text).otel).exporter;
}

function removal(endpoint: string): Change {
  return { kind: 'remove', name: 'otel.exporter', value: `otlp-http ${endpoint}` };
}

function addition(origin: string): Change {
  return { kind: 'add', name: 'otel.exporter', value: `otlp-http ${origin}${LOGS_PATH}` };
}

/**
 * Inserts the line below the header of the table. Without a header, it adds both at the end; the last line end stays.
 */
function inserted(text: string, line: string): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const header = /^[ \t]*\[[ \t]*otel[ \t]*\][ \t]*(?:#[^\r\n]*)?$/m.exec(text.replaceAll('\r', ' '));
  if (header !== null) {
    const end = text.indexOf('\n', header.index);
    return end < 0 ? `${text}${eol}${line}` : `${text.slice(0, end + 1)}${line}${eol}${text.slice(end + 1)}`;
  }
  if (text.trim() === '') return `${text}${HEADER}${eol}${line}${eol}`;
  const tail = /\r?\n$/.exec(text)?.[0] ?? '';
  const body = text.slice(0, text.length - tail.length);
  return `${body}${eol}${eol}${HEADER}${eol}${line}${tail}`;
}

/** Removes the line with its line end, or, at the end of the text, with the line end before it. */
function withoutLine(text: string, line: string): string {
  const at = text.indexOf(line);
  const [head, rest] = [text.slice(0, at), text.slice(at + line.length)];
  return rest === '' ? head.replace(/\r?\n$/, '') : head + rest.replace(/^\r?\n/, '');
}

function means(text: string, table: Readonly<Record<string, unknown>>): boolean {
  try {
    return isSame(parse(text, { integersAsBigInt: true }), table);
  } catch {
    return false;
  }
}

/** Compares two values regardless of key order. An empty top-level table `otel` counts as absent. */
function isSame(one: unknown, other: unknown): boolean {
  const canonical = (value: unknown) =>
    JSON.stringify(value, (key, item: unknown) => {
      if (typeof item === 'bigint') return `integer ${item}`;
      if (key === 'otel' && Object.keys(tableOf(item)).length === 0) return undefined;
      const isTable = typeof item === 'object' && item !== null && !Array.isArray(item);
      return isTable ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))) : item;
    });
  return canonical(one) === canonical(other);
}

function tableOf(value: unknown): TomlTable {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as TomlTable) : {};
}

function valueText(exporter: unknown): string {
  return typeof exporter === 'string'
    ? JSON.stringify(exporter)
    : stringify({ exporter: exporter as TomlTable })
        .trim()
        .replaceAll(/\s+/g, ' ');
}
