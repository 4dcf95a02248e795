/**
 * Whether a server answers where hooks are sent: after connecting, silence would look the same as failure.
 *
 * Asks `/livez`, which needs no token. Invariant: the answer is a sentence and never an error, since settings may be
 * written before a server is started.
 */
const TIMEOUT_MS = 2000;

/** One line for the person who connects. */
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

/** `fetch` hides what failed in the cause. */
export function reasonOf(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} seconds`;
  const { code, message } = (error.cause ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  return String(code ?? message ?? error.message);
}
