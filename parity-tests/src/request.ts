/**
 * Turns the request of a case into bytes.
 *
 * Defaults are added here and only here: `Host`, and with a body `Content-Type` and `Content-Length`. A header of the
 * case is sent unchanged; `null` omits one. Knows nothing of answers.
 */
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { batchBody, eventBody, type TextEvent } from '@twin-ingest/testkit/codecs/codecs.ts';
import { mediaTypeOf, type RequestFormat } from '@twin-ingest/testkit/codecs/format.ts';
import { encodeMsgpack } from '@twin-ingest/testkit/codecs/msgpack.ts';
import { compose, type Outgoing } from '@twin-ingest/testkit/http/http-client.ts';
import type { Header } from '@twin-ingest/testkit/http/http-parser.ts';
import { otlpRequest } from '@twin-ingest/testkit/otlp/description.ts';
import { otlpProtobuf } from '@twin-ingest/testkit/otlp/protobuf.ts';
import type { CaseRequest, Part } from './case.ts';
import { OTLP_TYPES } from './otlp-case.ts';

/** Returns the bytes of a request, for a server on this port. */
export function buildRequest(request: CaseRequest, port: number): Outgoing {
  const raw = rawBytes(request);
  if (raw) {
    const method = raw.subarray(0, 5).toString('latin1') === 'HEAD ' ? 'HEAD' : 'GET';
    return { method, head: raw, body: Buffer.alloc(0), awaitContinue: false };
  }
  const body = bodyBytes(request);
  const method = request.method ?? (body === undefined ? 'GET' : 'POST');
  const sent = body === undefined ? Buffer.alloc(0) : request.chunked ? chunks(body, request.chunked) : body;
  return compose(method, request.path!, headersOf(request, port, body), sent);
}

function headersOf(request: CaseRequest, port: number, body: Buffer | undefined): Header[] {
  const given = request.headers ?? {};
  const own: (readonly [string, string | null])[] = Array.isArray(given)
    ? (given as readonly Header[]).slice()
    : Object.entries(given as Record<string, string | null>);
  const says = new Set(own.map(([name]) => name.toLowerCase()));
  const added: Header[] = [];
  const add = (name: string, value: string): void => {
    if (!says.has(name)) added.push([name, value]);
  };
  add('host', `127.0.0.1:${port}`);
  if (body !== undefined) {
    const isOtlp = request.as === 'protobuf' && request.path?.startsWith('/v1/') === true;
    add('content-type', isOtlp ? OTLP_TYPES.protobuf : mediaTypeOf(request.as ?? 'json'));
    if (request.encoding) add('content-encoding', request.encoding);
    if (request.chunked) add('transfer-encoding', 'chunked');
    else if (!says.has('transfer-encoding')) add('content-length', String(body.length));
  }
  return [...added, ...own.filter((header): header is Header => header[1] !== null)];
}

function bodyBytes(request: CaseRequest): Buffer | undefined {
  const plain = plainBody(request);
  if (plain === undefined) return undefined;
  if (request.encoding === 'gzip') return gzipSync(plain);
  if (request.encoding === 'zstd') return zstdCompressSync(plain);
  return plain;
}

function plainBody(request: CaseRequest): Buffer | undefined {
  if (request.otlp !== undefined) {
    const message = otlpRequest(request.otlp);
    if (request.as !== 'protobuf') return Buffer.from(JSON.stringify(message));
    return otlpProtobuf(request.path!, message);
  }
  if (request.json !== undefined) return encodedBody(request.json, request.as ?? 'json');
  if (request.body !== undefined) return Buffer.from(request.body);
  if (request.body_base64 !== undefined) return Buffer.from(request.body_base64, 'base64');
  if (request.body_hex !== undefined) return bytesOfHex(request.body_hex);
  if (request.body_repeat !== undefined) {
    const { prefix = '', unit, count, suffix = '' } = request.body_repeat;
    return joinParts([prefix, { repeat: unit, count }, suffix]);
  }
  return request.body_parts === undefined ? undefined : joinParts(request.body_parts);
}

/**
 * Returns the bytes of a value. JSON and MessagePack encode any value. The other formats encode an event or a batch,
 * whose `metadata` is JSON text.
 */
function encodedBody(value: unknown, format: RequestFormat): Buffer {
  if (format === 'json') return Buffer.from(JSON.stringify(value));
  if (format === 'msgpack') return encodeMsgpack(value);
  const { events } = value as { readonly events?: readonly TextEvent[] };
  return events === undefined ? eventBody(format, value as TextEvent) : batchBody(format, events);
}

function rawBytes(request: CaseRequest): Buffer | undefined {
  if (request.raw !== undefined) return Buffer.from(request.raw);
  if (request.raw_base64 !== undefined) return Buffer.from(request.raw_base64, 'base64');
  return request.raw_parts === undefined ? undefined : joinParts(request.raw_parts);
}

function joinParts(parts: readonly Part[]): Buffer {
  return Buffer.concat(
    parts.map((part) => {
      if (typeof part === 'string') return Buffer.from(part);
      if ('base64' in part) return Buffer.from(part.base64, 'base64');
      if ('hex' in part) {
        const bytes = bytesOfHex(part.hex);
        return Buffer.alloc(bytes.length * (part.count ?? 1), bytes);
      }
      return Buffer.alloc(Buffer.byteLength(part.repeat) * part.count, part.repeat);
    }),
  );
}

/**
 * Returns the bytes of a hex text. White space is ignored. Any other text that is not a sequence of whole bytes is an
 * error of the case.
 */
export function bytesOfHex(text: string): Buffer {
  const digits = text.replaceAll(/\s/g, '');
  if (!/^(?:[0-9a-f]{2})*$/i.test(digits)) throw new Error(`${text} is no hex`);
  return Buffer.from(digits, 'hex');
}

/** Returns the body in the chunked coding of RFC 9112, section 7.1. */
function chunks(body: Buffer, size: number): Buffer {
  const out: Buffer[] = [];
  for (let at = 0; at < body.length; at += size) {
    const piece = body.subarray(at, at + size);
    out.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'));
  }
  out.push(Buffer.from('0\r\n\r\n'));
  return Buffer.concat(out);
}
