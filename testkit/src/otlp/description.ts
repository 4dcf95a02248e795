/**
 * Expands a short description in a test to a complete OTLP/JSON request.
 *
 * A test writes attributes as an object of plain values. Other forms are written as in OTLP/JSON: a list of `key` and
 * `value`. Such a value is an object whose one member is a type of `AnyValue`.
 */
import OTLP from '../../../contract/otlp.json' with { type: 'json' };

export type Members = Readonly<Record<string, unknown>>;

/**
 * The records of one scope. A log or a span has the members of `otlp.json`. `attributes` and `body` may be in the short
 * form.
 */
export interface OtlpGroup {
  readonly resource?: Members;
  readonly scope?: string;
  readonly logs?: readonly Members[];
  readonly spans?: readonly Members[];
  /** The kind of each metric and its number of data points. */
  readonly metrics?: readonly (readonly [kind: string, points: number])[];
}

export type OtlpDescription = OtlpGroup | readonly OtlpGroup[];

const TYPES = new Set(OTLP.messages.AnyValue.map(([, name]) => name));

/** Returns the request as an OTLP/JSON object. A group without records counts as logs. */
export function otlpRequest(description: OtlpDescription): Members {
  const groups = Array.isArray(description) ? (description as OtlpGroup[]) : [description as OtlpGroup];
  if (groups.some((group) => group.metrics)) return { resourceMetrics: groups.map(metricsOf) };
  if (groups.some((group) => group.spans)) return { resourceSpans: groups.map(spansOf) };
  return { resourceLogs: groups.map(logsOf) };
}

function logsOf({ logs = [], ...group }: OtlpGroup): Members {
  const scope = { ...scopeOf(group), logRecords: logs.map(recordOf) };
  return { ...resourceOf(group), scopeLogs: [scope] };
}

function spansOf({ spans = [], ...group }: OtlpGroup): Members {
  const scope = { ...scopeOf(group), spans: spans.map(recordOf) };
  return { ...resourceOf(group), scopeSpans: [scope] };
}

function metricsOf({ metrics = [], ...group }: OtlpGroup): Members {
  const written = metrics.map(([kind, points]) => ({
    [kind]: { dataPoints: Array.from({ length: points }, () => ({})) },
  }));
  return { ...resourceOf(group), scopeMetrics: [{ ...scopeOf(group), metrics: written }] };
}

function resourceOf({ resource }: OtlpGroup): Members {
  return resource === undefined ? {} : { resource: { attributes: attributesOf(resource) } };
}

function scopeOf({ scope }: OtlpGroup): Members {
  return scope === undefined ? {} : { scope: { name: scope } };
}

function recordOf(record: Members): Members {
  const { attributes, body } = record;
  return {
    ...record,
    ...(body === undefined ? {} : { body: anyValue(body) }),
    ...(attributes === undefined ? {} : { attributes: attributesOf(attributes) }),
  };
}

function attributesOf(attributes: unknown): unknown {
  if (typeof attributes !== 'object' || attributes === null || Array.isArray(attributes)) return attributes;
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
}

/** Returns a value in OTLP/JSON. `null` is a value without a type; a number with a fraction is a double. */
export function anyValue(value: unknown): unknown {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  if (value === null) return {};
  const [name, ...more] = Object.keys(value as Members);
  if (name !== undefined && more.length === 0 && TYPES.has(name)) return value;
  return { kvlistValue: { values: attributesOf(value) } };
}
