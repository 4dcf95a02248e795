/**
 * Checks that a server answers at the address of the hooks: after connecting, silence would look the same as failure.
 *
 * Requests `/livez`, which needs no token. Invariant: the result is a sentence and never an error, since settings may
 * be written before the server starts.
 */
const TIMEOUT_MS = 2000;

/** Returns one line for the user. */
export async function reachability(origin: string): Promise<string> {
  const start = 'Start one (pnpm start:ts or pnpm start:rs): until then what agents send is lost.';
  try {
    const response = await fetch(`${origin}/livez`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const body = (await response.json().catch(() => null)) as { readonly status?: unknown } | null;
    if (response.ok && body?.status === 'ok') return `A server answers at ${origin}.`;
    return `What answers at ${origin} is no server of this project (status ${response.status}). ${start}`;
  } catch (error) {
    return `No server answers at ${origin} (${reasonOf(error, TIMEOUT_MS)}). ${start}`;
  }
}

/** `fetch` hides the failure in the cause. */
export function reasonOf(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} seconds`;
  const { code, message } = (error.cause ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  return String(code ?? message ?? error.message);
}
