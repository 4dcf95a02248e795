/**
 * Compares the answers of two servers to the same bytes: status, headers except Date, body, and the end of the
 * connection.
 */
import { formatOf } from '@twin-ingest/testkit/codecs/format.ts';
import {
  type Answer,
  announcesClose,
  type Outgoing,
  type Response,
} from '@twin-ingest/testkit/http/http-client.ts';
import { type Header, headerValues } from '@twin-ingest/testkit/http/http-parser.ts';
import { normaliseBody, normaliseFormat, normaliseHeader } from './normalise.ts';

/**
 * Returns an answer as lines that must be equal. `closed`, `more`: whether the server closed it, and whether bytes
 * followed.
 */
export function comparable(answer: Answer, closed: boolean, more: boolean, sent: Outgoing): string {
  // The kernel determines how a connection ends without an answer (FIN or RST, with or without malformed bytes).
  if (answer.kind !== 'response')
    return answer.kind === 'garbled' ? `garbled: ${answer.problem}` : answer.kind;
  const { response } = answer;
  const length = String(response.body.length);
  const isHealth = HEALTH.test(sent.head.toString('latin1'));
  const headers = response.headers
    .map(([name, value]): Header => [name.toLowerCase(), value])
    .filter(([name]) => name !== 'date')
    // Values of different width cause different lengths. Each length must match its own body.
    .map(
      ([name, value]) =>
        `${name}: ${name === 'content-length' && (value === length || isHealth) ? '(of the body)' : normaliseHeader(name, value)}`,
    )
    .sort();
  const interim = response.interim.map((head) => String(head.status));
  const end = `${announcesClose(response) ? `closed: ${closed}` : 'open'}${more ? ', more bytes follow' : ''}`;
  const { body, problem } = comparableBody(response, sent);
  const status = `${response.status}${problem === undefined ? '' : ` undecodable: ${problem}`}`;
  return [status, ...interim, ...headers, end, '', body].join('\n');
}

/** Routes whose bytes have any media type and are compared exactly. */
const ATTACHMENT = /^[^\r\n]* \/api\/attachments\//;
const SNAPSHOT = /^[A-Z]+ \/api\/snapshot\//;
/** Routes with OTLP messages, which are compared exactly. */
const OTLP = /^[\r\n]*[^\r\n]* \/v1\//;
/**
 * Route of the health answer. Only its telemetry counts are compared: the rest depends on the process and its SQLite.
 */
const HEALTH = /^[\r\n]*[^\r\n]* \/api\/health/;
const TELEMETRY = /"telemetry":\{.*?\]\}/;

/** Returns the body as text, and the reason if it does not match its media type. */
function comparableBody(
  { status, headers, body }: Response,
  { method, head }: Outgoing,
): { readonly body: string; readonly problem?: string } {
  const target = head.toString('latin1');
  if (ATTACHMENT.test(target) && status < 400) return { body: body.toString('latin1') };
  if (OTLP.test(target)) return { body: body.toString('latin1') };
  if (HEALTH.test(target) && status < 400)
    return { body: normaliseBody(TELEMETRY.exec(body.toString('latin1'))?.[0] ?? '') };
  const [type] = headerValues(headers, 'content-type');
  const format = type === undefined ? undefined : formatOf(type);
  const isBodiless = method === 'HEAD' || status === 304;
  if (format === undefined || isBodiless) return { body: normaliseBody(body.toString('latin1')) };
  const message = SNAPSHOT.test(target) ? 'snapshot' : 'page';
  try {
    return { body: normaliseFormat(format, body, message) };
  } catch (error) {
    return { body: body.toString('latin1'), problem: String(error) };
  }
}

/** Returns whether an answer does not match its media type. That is a failure even if both answers are equal. */
export function isUndecodable(answer: string): boolean {
  return /^\d+ undecodable: /.test(answer);
}

/** Returns whether both answers refuse bytes that are not a well-formed request (rule HTT-08). */
export function areRefusals(rs: string, ts: string): boolean {
  return isRefusal(rs) && isRefusal(ts);
}

export function isRefusal(answer: string): boolean {
  if (answer === 'silent') return true;
  const isPlain = !answer.includes('"code"') || /"code":"(?:bad_request|[a-z]+_too_l[a-z]+)"/.test(answer);
  return /^(?:400|408|414|431)\n/.test(answer) && answer.includes('closed: true') && isPlain;
}

/** Returns the same text for differences of the same kind: the differing lines without their numbers. */
export function kindOfDifference(rs: string, ts: string): string {
  const one = rs.split('\n');
  const other = ts.split('\n');
  const only = [
    ...one.filter((line) => !other.includes(line)),
    '|',
    ...other.filter((line) => !one.includes(line)),
  ];
  return only.map((line) => line.replace(/\d+/g, '0').slice(0, 80)).join('\n');
}
