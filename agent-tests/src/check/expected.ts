/**
 * What the rows of a test must be, from what the model API served: each answer and each call once.
 *
 * Both sides become lines of text, sorted, so that a failure shows the missing and the surplus ones.
 */
import type { AgentKind } from '../agents/agent.ts';
import type { Served } from '../api/script.ts';
import type { Row } from './observed.ts';

const round = (usd: number) => Number(usd.toFixed(9));

/** One line for each answer with tokens. */
export function expectedAnswers({ promised }: AgentKind, served: readonly Served[]): string[] {
  return served
    .filter(({ usage, marker }) => usage !== null && (marker !== null || promised.hasSideRequests))
    .map(({ model, usage }) => {
      const { input, output, cacheRead, cacheWrite } = usage!;
      const cost = promised.cost(model, usage!);
      const tokens = [input, output, cacheRead, promised.hasCacheWrites ? cacheWrite : 0];
      return answerLine(model, tokens, cost);
    })
    .sort();
}

export function observedAnswers(rows: readonly Row[]): string[] {
  return rows
    .filter(
      ({ event_type, tokens_in, tokens_out }) => event_type === 'llm_response' || tokens_in + tokens_out > 0,
    )
    .map((row) => {
      const tokens = [row.tokens_in, row.tokens_out, row.cache_read_tokens, row.cache_write_tokens];
      return answerLine(row.model, tokens, row.cost_usd);
    })
    .sort();
}

function answerLine(model: string | null, tokens: readonly number[], cost: number | null): string {
  return `${model}: ${tokens.join(' ')} tokens, ${cost === null ? 'no cost' : `${round(cost)} USD`}`;
}

/** One line for each call. */
export function expectedCalls({ promised }: AgentKind, served: readonly Served[]): string[] {
  return served
    .flatMap(({ step, call, callId }) => {
      if (step.kind !== 'call' || call === null) return [];
      if (step.outcome === 'denied' && promised.deniedCall === 'none') return [];
      const status = step.outcome === 'success' ? 'success' : 'error';
      return [callLine(call.name, promised.hasCallIds ? callId : null, status)];
    })
    .sort();
}

export function observedCalls(rows: readonly Row[]): string[] {
  return rows
    .filter(({ event_type }) => event_type === 'tool_use')
    .map(({ tool_name, call_id, status }) => callLine(tool_name, call_id, status))
    .sort();
}

function callLine(name: string | null, id: string | null, status: string): string {
  return `${name} ${id ?? 'without id'}: ${status}`;
}

/** Tokens and cost of all answers, as a session and the totals have them. */
export function totalLine(rows: readonly Row[]): string {
  const sum = (of: (row: Row) => number) => rows.reduce((total, row) => total + of(row), 0);
  return [
    sum((row) => row.tokens_in),
    sum((row) => row.tokens_out),
    sum((row) => row.cache_read_tokens),
    sum((row) => row.cache_write_tokens),
    round(sum((row) => row.cost_usd ?? 0)),
  ].join(' ');
}
