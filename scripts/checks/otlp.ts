/** Checks `otlp.json` against the routes and the errors (rules OTL-01 to OTL-04). */
import type { Json, JsonObject } from '../contract-facts.ts';
import { isObject, texts, unknownKeys } from './shape.ts';

const KEYS = ['about', 'requests', 'messages', 'wrong_path', 'reasons', 'status_codes'];
const SCALARS = ['fixed64', 'int64', 'double', 'bool', 'enum', 'string', 'bytes', 'id16', 'id8'];
const SIGNALS = ['logs', 'metrics', 'spans'];
/** The status of `overloaded` in answers to telemetry (rule OTL-01). */
const TOO_MANY = 429;

/** Returns the problems of the file. */
export function checkOtlp(otlp: Json, routes: Json, errors: JsonObject): string[] {
  if (!isObject(otlp)) return ['otlp.json is no object'];
  const { requests, messages, reasons, status_codes: codes } = otlp;
  const known = isObject(messages) ? Object.keys(messages) : [];
  const problems = [
    ...unknownKeys(otlp, KEYS, ''),
    ...texts(reasons, 'reasons'),
    ...(isObject(messages)
      ? Object.entries(messages).flatMap(([name, fields]) => checkMessage(name, fields, known))
      : ['messages is no object']),
    ...(isObject(requests)
      ? Object.entries(requests).flatMap(([path, request]) => checkRequest(path, request, known, routes))
      : ['requests is no object']),
    ...checkCodes(isObject(codes) ? codes : {}, errors),
  ];
  return problems.map((text) => `otlp.json: ${text}`);
}

function checkMessage(name: string, fields: Json, known: readonly string[]): string[] {
  if (!Array.isArray(fields)) return [`${name} is no list of fields`];
  const numbers = fields.map((field) => (Array.isArray(field) ? field[0] : null));
  return fields.flatMap((field, at) => {
    const [number, text, type] = Array.isArray(field) ? field : [];
    const isField = Number.isInteger(number) && typeof text === 'string' && typeof type === 'string';
    if (!isField) return [`${name}: ${JSON.stringify(field)} is no field`];
    return [
      ...(numbers.indexOf(number!) === at ? [] : [`${name}: ${text} has a number that is taken`]),
      ...(SCALARS.includes(type) || known.includes(type.replace(/\[\]$/, ''))
        ? []
        : [`${name}: ${text} is a ${type}, which is no type`]),
    ];
  });
}

/** Checks that a request's route reads both encodings. */
function checkRequest(path: string, request: Json, known: readonly string[], routes: Json): string[] {
  if (!isObject(request)) return [`${path} is no object`];
  const { routes: list = [] } = routes as { routes?: readonly { path: string; reads?: readonly string[] }[] };
  const reads = list.find((route) => route.path === path)?.reads ?? [];
  return [
    ...unknownKeys(request, ['message', 'signal', 'rejected'], `${path}: `),
    ...(known.includes(String(request.message)) ? [] : [`${path}: ${String(request.message)} is no message`]),
    ...(SIGNALS.includes(String(request.signal)) ? [] : [`${path}: ${String(request.signal)} is no signal`]),
    ...(typeof request.rejected === 'string' ? [] : [`${path}: rejected is no text`]),
    ...(reads.join(' ') === 'json protobuf' ? [] : [`${path} is no route that reads json and protobuf`]),
  ];
}

/** Checks that every status that a body may cause has a code. */
function checkCodes(codes: JsonObject, errors: JsonObject): string[] {
  const statuses = Object.values(errors).map((error) => (isObject(error) ? error.status : null));
  const known = new Set<Json | undefined>([...statuses, TOO_MANY]);
  return Object.entries(codes).flatMap(([status, code]) => [
    ...(known.has(Number(status)) ? [] : [`status_codes: no error has the status ${status}`]),
    ...(Number.isInteger(code) ? [] : [`status_codes: the code of ${status} is no integer`]),
  ]);
}
