/** The columns of one event that have a value. */
import type { Row } from '../api.ts';
import { dateTime, dollars, duration, legible, whole } from '../format.ts';
import { labelOf } from '../labels.ts';
import { Marked } from './marked.tsx';

export function Fields({ row }: { readonly row: Row }) {
  return (
    <dl class="fields">
      {fieldsOf(row).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class="text">
            <Marked text={legible(value, 2000)} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Columns that are shown elsewhere, or whose value is the same in every row. */
const ELSEWHERE = ['id', 'schema_version', 'payload_truncated', 'metadata_bytes', 'metadata'];

function fieldsOf(row: Row): readonly (readonly [string, string])[] {
  const written: Readonly<Partial<Record<keyof Row, string | null>>> = {
    time: dateTime(new Date(row.time)),
    history: row.history ? 'yes' : null,
    created_at: dateTime(new Date(row.created_at)),
    client_timestamp: row.client_timestamp === null ? null : dateTime(new Date(row.client_timestamp)),
    arrived_at: row.arrived_at === null ? null : dateTime(new Date(row.arrived_at)),
    duration_ms: row.duration_ms === null ? null : duration(row.duration_ms),
    tokens_in: tokens(row.tokens_in),
    tokens_out: tokens(row.tokens_out),
    cache_read_tokens: tokens(row.cache_read_tokens),
    cache_write_tokens: tokens(row.cache_write_tokens),
    cache_write_1h_tokens: tokens(row.cache_write_1h_tokens),
    cost_usd: row.cost_usd === null ? null : dollars(row.cost_usd),
    computed_cost_usd: row.computed_cost_usd === null ? null : `~${dollars(row.computed_cost_usd)}`,
  };
  const columns = Object.entries(row).filter(([name]) => !ELSEWHERE.includes(name));
  return columns.flatMap(([name, value]) => {
    const text = name in written ? written[name as keyof Row] : value;
    return typeof text === 'string' ? [[labelOf(name), text] as const] : [];
  });
}

function tokens(count: number): string | null {
  return count === 0 ? null : whole(count);
}
