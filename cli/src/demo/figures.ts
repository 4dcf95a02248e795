/** Polls a server's health figures; without a server the last figures stay. */
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from '../request.ts';

export interface Figures {
  readonly stored: number;
  /** Events a second, averaged over the last few seconds. */
  readonly rate: number;
  /** Number of clients of the stream. */
  readonly clients: number;
}

const ASK_MS = 500;
const PATIENCE_MS = 2_000;
/** Number of polls in the average. */
const WINDOW = 10;

/** Calls `tell` after each poll; resolves when the signal aborts. */
export async function watchFigures(
  baseUrl: string,
  tell: (figures: Figures) => void,
  signal: AbortSignal,
): Promise<void> {
  const seen: { readonly at_ms: number; readonly stored: number }[] = [];
  let last: Figures = { stored: 0, rate: 0, clients: 0 };
  while (!signal.aborted) {
    try {
      const [stats, health] = await Promise.all([
        ask<{ total_events: number }>(`${baseUrl}/api/stats`, signal),
        ask<{ sse_clients: number }>(`${baseUrl}/api/health`, signal),
      ]);
      seen.push({ at_ms: performance.now(), stored: stats.total_events });
      const first = seen.length > WINDOW ? seen.shift()! : seen[0]!;
      const passed_s = (performance.now() - first.at_ms) / 1000;
      const rate = passed_s < 0.1 ? 0 : (stats.total_events - first.stored) / passed_s;
      last = { stored: stats.total_events, rate, clients: health.sse_clients };
    } catch {
      // No server is available, for example during a swap.
    }
    if (signal.aborted) return;
    tell(last);
    await sleep(ASK_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function ask<T>(url: string, signal: AbortSignal): Promise<T> {
  const response = await request(url, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
  });
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return (await response.json()) as T;
}
