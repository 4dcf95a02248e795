/** Sessions by their newest activity: state, age, and what they came to. A click narrows the feed to one. */
import type { Session, SessionStatus } from '../api.ts';
import { hasMoreSessions, sessions } from '../figures.ts';
import { dollars, legible, short, span } from '../format.ts';
import { filters, setFilter } from '../view.ts';
import { Empty, Panel, useFirst } from './panel.tsx';

const FIRST = 8;
const STATUSES: readonly SessionStatus[] = ['active', 'idle', 'ended'];

export function Sessions() {
  const all = sessions.value;
  const [list, button] = useFirst(all ?? [], FIRST);
  return (
    <Panel id="sessions" title="Sessions" more={all === null || all.length === 0 ? undefined : summary()}>
      {all !== null && all.length === 0 && <Empty>A session begins with its first event.</Empty>}
      <ul class="sessions">
        {list.map(({ session, status, age_ms }) => (
          <SessionRow key={session.id} session={session} status={status} age_ms={age_ms} />
        ))}
      </ul>
      {button}
    </Panel>
  );
}

/** Of those that are loaded, the newest. */
function summary(): string {
  const counts = STATUSES.map((status) => {
    const count = sessions.value?.filter((one) => one.status === status).length ?? 0;
    return count === 0 ? '' : `${count} ${status}`;
  });
  return `${hasMoreSessions.value ? 'newest: ' : ''}${counts.filter((text) => text !== '').join(' · ')}`;
}

interface SessionRowProps {
  readonly session: Session;
  readonly status: SessionStatus;
  readonly age_ms: number;
}

function SessionRow({ session, status, age_ms }: SessionRowProps) {
  const isChosen = filters.value.session_id === session.id;
  const where = [session.project, session.branch].filter((part) => part !== null).join(' / ');
  return (
    <li>
      <button
        type="button"
        class="session"
        aria-pressed={isChosen}
        title={`Session ${legible(session.id)}: show its events`}
        onClick={() => setFilter('session_id', isChosen ? undefined : session.id)}
      >
        <span class={`state is-${status}`}>
          <span class="dot" aria-hidden="true" />
          {status}
        </span>
        <span class="name text">{legible(session.id)}</span>
        <span class="age number">{span(age_ms)}</span>
        <span class="where text dim">
          {legible(session.agent_type)}
          {where !== '' && ` · ${legible(where)}`}
        </span>
        <span class="sums number dim">
          {short(session.event_count)} ev
          {session.error_count > 0 && <span class="bad"> · {short(session.error_count)} err</span>}
          {session.total_cost_usd > 0 && ` · ${dollars(session.total_cost_usd)}`}
        </span>
      </button>
    </li>
  );
}
