/**
 * Converts the values of an OTLP request to JSON (rules OTL-02 and OTL-04), from its OTLP/JSON form.
 *
 * Invariant: it shares no code with a server. It expects values as a library writes them; the cases cover malformed
 * ones.
 */
import LIMITS from '../../contract/limits.json' with { type: 'json' };

export type Members = Readonly<Record<string, unknown>>;
/** Keys and the JSON texts of their values, in order. */
export type Attributes = ReadonlyMap<string, string>;

const INT64 = 2n ** 63n;

export function attributesOf(list: unknown): Attributes {
  const attributes = new Map<string, string>();
  for (const { key, value } of (list ?? []) as readonly { key?: unknown; value?: unknown }[]) {
    const text = valueText(value);
    if (typeof key === 'string' && key !== '' && isText(key) && text !== undefined) attributes.set(key, text);
  }
  return attributes;
}

/** Returns the attributes that count when several records share them. */
export function sharedAttributes(list: unknown): Attributes {
  const isSmall = ([, text]: readonly [string, string]): boolean =>
    Buffer.byteLength(text) <= LIMITS.otlp_shared_value_bytes;
  return new Map([...attributesOf(list)].filter(isSmall));
}

/** Returns the JSON text of an `AnyValue`; `undefined` when it counts as absent. */
export function valueText(value: unknown): string | undefined {
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue, bytesValue } = (value ??
    {}) as Members;
  if (typeof stringValue === 'string' && isText(stringValue)) return JSON.stringify(stringValue);
  if (boolValue !== undefined) return String(boolValue);
  if (intValue !== undefined) {
    const integer = BigInt(intValue as string);
    if (integer >= -INT64 && integer < INT64) return String(integer);
  }
  if (doubleValue !== undefined) return JSON.stringify(Number(doubleValue));
  if (arrayValue !== undefined) {
    const { values } = arrayValue as { values?: readonly unknown[] };
    const texts = (values ?? []).map(valueText);
    if (!texts.includes(undefined)) return `[${texts.join(',')}]`;
  }
  if (kvlistValue !== undefined) return objectText(attributesOf((kvlistValue as Members).values));
  return bytesValue === undefined ? undefined : JSON.stringify(bytesValue);
}

export function objectText(members: Attributes): string {
  return `{${[...members].map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`;
}

/** Returns the plain text of a JSON text: the string's contents, otherwise the JSON. */
export function plainText(json: string): string {
  return json.startsWith('"') ? (JSON.parse(json) as string) : json;
}

export function timeOf(value: unknown): string | undefined {
  return value === undefined || Number(value) === 0 ? undefined : String(value);
}

/** Returns an id of this many bytes. */
export function idOf(value: unknown, bytes: number): string | undefined {
  const id = String(value ?? '').toLowerCase();
  return id.length === 2 * bytes && !/^0*$/.test(id) ? id : undefined;
}

function isText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
