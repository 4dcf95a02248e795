/** Counts the agents' work, from the sent steps and from a server, so that both can be compared. */

import { request } from '../request.ts';
import type { Action } from './steps.ts';

export interface WorkDone {
  calls: number;
  tokens_in: number;
  tokens_out: number;
  cost_nanos: number;
  errors: number;
}

/** The work that a server has stored. */
export interface StoredWork extends WorkDone {
  readonly events: number;
}

export const noWork = (): WorkDone => ({ calls: 0, tokens_in: 0, tokens_out: 0, cost_nanos: 0, errors: 0 });

/** Adds the work of a step. */
export function addWork(done: WorkDone, { step }: Action): void {
  if (step.kind === 'reply') {
    done.tokens_in += step.reply.tokens_in;
    done.tokens_out += step.reply.tokens_out;
    done.cost_nanos += step.reply.cost_nanos ?? 0;
  } else if (step.kind === 'failure') done.errors++;
  else if (step.kind === 'result') {
    done.calls++;
    if (step.call.error !== null) done.errors++;
  }
}

/** Reads the server's statistics; rejects without a server. */
export async function workOf(baseUrl: string): Promise<StoredWork> {
  const [stats, { tools }] = await Promise.all([
    ask<Stats>(`${baseUrl}/api/stats`),
    ask<{ readonly tools: readonly { readonly total_calls: number }[] }>(`${baseUrl}/api/stats/tools`),
  ]);
  return {
    events: stats.total_events,
    calls: tools.reduce((sum, { total_calls }) => sum + total_calls, 0),
    tokens_in: stats.total_tokens_in,
    tokens_out: stats.total_tokens_out,
    cost_nanos: Math.round(stats.total_cost_usd * 1e9),
    errors: stats.total_errors,
  };
}

interface Stats {
  readonly total_events: number;
  readonly total_tokens_in: number;
  readonly total_tokens_out: number;
  readonly total_cost_usd: number;
  readonly total_errors: number;
}

async function ask<T>(url: string): Promise<T> {
  const response = await request(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return (await response.json()) as T;
}
