/** The server's own state: what runs, what it has stored, and what waits to be. */

import { health } from '../figures.ts';
import { bytes, span, whole } from '../format.ts';
import { Panel } from './panel.tsx';

export function ServerPanel() {
  const at = health.value;
  if (at === null) return null;
  const isOk = at.status === 'ok';
  const facts: readonly (readonly [string, string])[] = [
    ['Runtime', `${at.runtime} · ${at.version}`],
    ['Uptime', span(at.uptime * 1000)],
    ['Write queue', `${whole(at.queue_events)} events`],
    ['Database', bytes(at.db_bytes)],
    ['Write-ahead log', bytes(at.wal_bytes)],
    ['Streams', whole(at.sse_clients)],
    ['Durability', at.durability],
    ['SQLite', at.sqlite_version],
    ['Contract', at.contract],
  ];
  return (
    <Panel
      id="server"
      title="Server"
      more={
        <span class={`state ${isOk ? 'is-active' : 'bad'}`}>
          <span class="dot" aria-hidden="true" />
          {at.reason === undefined ? at.status : `${at.status}: ${at.reason}`}
        </span>
      }
    >
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}
