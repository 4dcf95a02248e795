/**
 * Computes the expected rows of a test from the answers of the model API: each answer and each call once.
 *
 * Expected and observed rows are sorted, so that a failure shows missing and superfluous ones.
 */
import type { AgentKind } from '../agents/agent.ts';
import type { Served } from '../api/script.ts';
import type { Row } from './observed.ts';

/** Tokens and cost of a request, as columns of its row. */
export type Answer = Pick<
  Row,
  'model' | 'tokens_in' | 'tokens_out' | 'cache_read_tokens' | 'cache_write_tokens' | 'cost_usd'
>;

export type Call = Pick<Row, 'tool_name' | 'call_id' | 'status'>;

export const roundUsd = (usd: number) => Number(usd.toFixed(9));

export function expectedAnswers({ promised }: AgentKind, served: readonly Served[]): Answer[] {
  return sorted(
    served
      .filter(({ usage, marker }) => usage !== null && (marker !== null || promised.hasSideRequests))
      .map(({ model, usage }) => {
        const { input, output, cacheRead, cacheWrite } = usage!;
        const cost = promised.cost(model, usage!);
        return {
          model,
          tokens_in: input,
          tokens_out: output,
          cache_read_tokens: cacheRead,
          cache_write_tokens: promised.hasCacheWrites ? cacheWrite : 0,
          cost_usd: cost === null ? null : roundUsd(cost),
        };
      }),
  );
}

/** Returns the observed answers. A row with tokens is an answer, whatever its type. */
export function observedAnswers(rows: readonly Row[]): Answer[] {
  return sorted(
    rows
      .filter(
        ({ event_type, tokens_in, tokens_out }) =>
          event_type === 'llm_response' || tokens_in + tokens_out > 0,
      )
      .map(({ model, tokens_in, tokens_out, cache_read_tokens, cache_write_tokens, cost_usd }) => ({
        model,
        tokens_in,
        tokens_out,
        cache_read_tokens,
        cache_write_tokens,
        cost_usd: cost_usd === null ? null : roundUsd(cost_usd),
      })),
  );
}

export function expectedCalls({ promised }: AgentKind, served: readonly Served[]): Call[] {
  return sorted(
    served.flatMap(({ step, call, callId }) => {
      if (step.kind !== 'call' || call === null) return [];
      if (step.outcome === 'denied' && promised.deniedCall === 'none') return [];
      const status = step.outcome === 'success' ? 'success' : 'error';
      return [{ tool_name: call.name, call_id: promised.hasCallIds ? callId : null, status }];
    }),
  );
}

export function observedCalls({ promised }: AgentKind, rows: readonly Row[]): Call[] {
  return sorted(
    rows
      .filter(({ event_type }) => event_type === 'tool_use')
      .map(({ tool_name, call_id, status }) => ({
        tool_name: promised.hookTools[tool_name ?? ''] ?? tool_name,
        call_id,
        status,
      })),
  );
}

function sorted<T>(items: readonly T[]): T[] {
  return items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

/** Returns the tokens and the cost of all rows, with the names of a session's members. */
export function totalsOf(rows: readonly Row[]) {
  const sum = (of: (row: Row) => number) => rows.reduce((total, row) => total + of(row), 0);
  return {
    tokens_in: sum((row) => row.tokens_in),
    tokens_out: sum((row) => row.tokens_out),
    cache_read_tokens: sum((row) => row.cache_read_tokens),
    cache_write_tokens: sum((row) => row.cache_write_tokens),
    total_cost_usd: roundUsd(sum((row) => row.cost_usd ?? 0)),
  };
}
