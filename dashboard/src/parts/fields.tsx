/** The columns of one event, those that it has. */
import type { Row } from '../api.ts';
import { dateTime, dollars, duration, legible, whole } from '../format.ts';

export function Fields({ row }: { readonly row: Row }) {
  return (
    <dl class="fields">
      {fieldsOf(row).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class="text">{legible(value, 2000)}</dd>
        </div>
      ))}
    </dl>
  );
}

function fieldsOf(row: Row): readonly (readonly [string, string])[] {
  const fields: readonly (readonly [string, string | null])[] = [
    ['Type', row.event_type],
    ['Status', row.status],
    ['Stored', dateTime(new Date(row.created_at))],
    ['Client time', row.client_timestamp === null ? null : dateTime(new Date(row.client_timestamp))],
    ['Session', row.session_id],
    ['Agent', row.agent_type],
    ['Tool', row.tool_name],
    ['Took', row.duration_ms === null ? null : duration(row.duration_ms)],
    ['Tokens in', tokens(row.tokens_in)],
    ['Tokens out', tokens(row.tokens_out)],
    ['Read from cache', tokens(row.cache_read_tokens)],
    ['Written to cache', tokens(row.cache_write_tokens)],
    ['Cost', row.cost_usd === null ? null : dollars(row.cost_usd)],
    ['Model', row.model],
    ['Project', row.project],
    ['Branch', row.branch],
    ['Source', row.source],
    ['Event id', row.event_id],
  ];
  return fields.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
}

function tokens(count: number): string | null {
  return count === 0 ? null : whole(count);
}
