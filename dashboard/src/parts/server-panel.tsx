/** The server's own state: its process, its storage, and its queue; or that it is unknown. */
import type { Forwarding, Health, Redaction, Retention } from '../api.ts';
import { health, isHealthKnown, retention } from '../figures.ts';
import { bytes, counted, dateTime, span, whole } from '../format.ts';
import { Panel } from './panel.tsx';

export function ServerPanel() {
  const at = health.value;
  if (at === null) return null;
  const isKnown = isHealthKnown.value;
  const facts: readonly (readonly [string, string])[] = [
    ['Runtime', `${at.runtime} · ${at.version}`],
    ['Uptime', span(at.uptime * 1000)],
    ['Write queue', `${whole(at.queue_events)} events`],
    ['Database', bytes(at.db_bytes)],
    ['Redacts', redactedText(at.redaction)],
    ...forwardingFacts(at.forwarding),
    ...clusterFacts(at.cluster),
    ['Write-ahead log', bytes(at.wal_bytes)],
    ['Attachments', bytes(at.attachment_bytes)],
    ['Keeps', keptText(retention.value)],
    ['Disk free', bytes(at.disk_free_bytes)],
    ['Last fault', faultText(at.last_fault)],
    ['Streams', whole(at.sse_clients)],
    ['Durability', at.durability],
    ['SQLite', at.sqlite_version],
    ['Contract', at.contract],
  ];
  return (
    <Panel
      id="server"
      title="Server"
      more={isKnown ? <Status of={at} /> : <span class="state">unknown; this is what it said last</span>}
    >
      <dl class={isKnown ? 'facts' : 'facts is-past'}>
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

/** Describes the bounds of retention: "all events", "30 days · at most 2.0 GB". */
function keptText(bounds: Retention | null): string {
  if (bounds === null) return 'unknown';
  const parts = [
    bounds.days > 0 ? counted(bounds.days, 'day') : '',
    bounds.bytes > 0 ? `at most ${bytes(bounds.bytes)}, ${bytes(bounds.used_bytes)} used` : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? 'all events' : parts.join(' · ');
}

/** Describes the newest fault: "storage_full · 2026-02-18 18:06:41". */
function faultText(fault: Health['last_fault']): string {
  if (fault === null) return 'none since the start';
  return `${fault.code} · ${dateTime(new Date(fault.at)).replace(/\.\d+$/, '')}`;
}

/** Describes forwarding: "3 events wait to be forwarded to board:3141 · unreachable"; nothing without `--forward`. */
function forwardingFacts(forwarding: Forwarding | null | undefined): readonly (readonly [string, string])[] {
  if (forwarding === null || forwarding === undefined) return [];
  const { to, waiting, failure } = forwarding;
  const text = `${counted(waiting, 'event')} ${waiting === 1 ? 'waits' : 'wait'} to be forwarded to ${to}`;
  return [['Forwards', failure === null ? text : `${text} · ${failure}`]];
}

/** Describes the copy of a stream: "board · 3 messages behind · unreachable"; nothing without `--store jetstream`. */
function clusterFacts(cluster: Health['cluster']): readonly (readonly [string, string])[] {
  if (cluster === undefined) return [];
  const { stream, waiting, failure } = cluster;
  const behind = waiting > 0 ? [`${counted(waiting, 'message')} behind`] : [];
  return [['Stream', [stream, ...behind, ...(failure === null ? [] : [failure])].join(' · ')]];
}

/** Describes redaction: "nothing", "21 keys, 32 patterns · 3 events, 1 attachment changed". */
function redactedText(redaction: Redaction | null | undefined): string {
  if (redaction === null || redaction === undefined) return 'nothing';
  const { keys, patterns, events, attachments } = redaction;
  const rules = `${counted(keys, 'key')}, ${counted(patterns, 'pattern')}`;
  return `${rules} · ${counted(events, 'event')}, ${counted(attachments, 'attachment')} changed`;
}

function Status({ of: { status, reason } }: { readonly of: Health }) {
  return (
    <span class={`state ${status === 'ok' ? 'is-active' : 'bad'}`}>
      <span class="dot" aria-hidden="true" />
      {reason === undefined ? status : `${status}: ${reason}`}
    </span>
  );
}
