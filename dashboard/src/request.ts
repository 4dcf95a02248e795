/** Plain requests to the page's own server. */
import { RefusedError } from '@twin-ingest/client';

/** The error of a request that the server rejects as invalid; the request is not repeated. */
export class WrongRequest extends RefusedError {
  /** The server's message. */
  readonly problem: string;

  constructor(problem: string) {
    super(400, null);
    this.problem = problem;
  }
}

/** Sends a GET request; throws a `RefusedError` unless it succeeds. */
export async function get(path: string, signal: AbortSignal | null = null): Promise<Response> {
  const response = await fetch(path, { cache: 'no-store', signal });
  if (response.status === 400) throw new WrongRequest(await problemOf(response));
  if (!response.ok) throw new RefusedError(response.status, null);
  return response;
}

export async function getJson<T>(path: string, signal: AbortSignal | null = null): Promise<T> {
  return (await (await get(path, signal)).json()) as T;
}

/** Reads an error's body, as far as it adds to the status. */
async function problemOf(response: Response): Promise<string> {
  const said = await response.json().catch(() => null);
  const { error, parameter, message } = (said ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof parameter === 'string' && typeof message === 'string') return `${parameter} ${message}`;
  return typeof error === 'string' ? error : 'refused with 400';
}
