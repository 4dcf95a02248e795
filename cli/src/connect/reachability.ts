/**
 * Checks that a server answers at the address of the hooks. After connecting, the user could not tell a missing server
 * from an idle agent.
 *
 * It requests `/livez`, which needs no token. Invariant: the result is a sentence and never an error, since the user
 * may connect before the server starts.
 */
import { COMMAND } from '../command-name.ts';
import { request } from '../request.ts';

const TIMEOUT_MS = 2000;

/** Returns one line for the user. */
export async function reachability(origin: string): Promise<string> {
  const start = `Start one (${COMMAND}): until then what agents send is lost.`;
  try {
    const response = await request(`${origin}/livez`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const body = (await response.json().catch(() => null)) as { readonly status?: unknown } | null;
    if (response.ok && body?.status === 'ok') return `A server answers at ${origin}.`;
    return `What answers at ${origin} is no server of this project (status ${response.status}). ${start}`;
  } catch (error) {
    return `No server answers at ${origin} (${reasonOf(error, TIMEOUT_MS)}). ${start}`;
  }
}

/** Returns the reason of a failed request. `fetch` has it in the `cause` of its error. */
export function reasonOf(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} seconds`;
  const { code, message } = (error.cause ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  return String(code ?? message ?? error.message);
}
