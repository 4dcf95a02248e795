/** Plain requests to the server that the page is from. */
import { RefusedError } from '@twin-ingest/client';

/** Throws a `RefusedError` for anything but a success. */
export async function get(path: string, signal: AbortSignal | null = null): Promise<Response> {
  const response = await fetch(path, { cache: 'no-store', signal });
  if (!response.ok) throw new RefusedError(response.status, null);
  return response;
}

export async function getJson<T>(path: string, signal: AbortSignal | null = null): Promise<T> {
  return (await (await get(path, signal)).json()) as T;
}
