/** Sessions by newest activity, those that need an answer first. A click filters the page by one. */
import { useEffect } from 'preact/hooks';
import type { Session, SessionStatus } from '../api.ts';
import { costText, titleOfCost } from '../cost-text.ts';
import { costsOfSession } from '../costs.ts';
import { hasMoreSessions, sessions } from '../figures.ts';
import { counted, legible, span } from '../format.ts';
import { isNarrow } from '../narrow.ts';
import { sessionHref } from '../route.ts';
import { now_ms } from '../time.ts';
import { listedCount, titleOf } from '../titles.ts';
import { filters, setFilter } from '../view.ts';
import { askOf, dismiss, isYourTurn, needAnswer } from '../waiting.ts';
import { DeleteSession } from './delete-session.tsx';
import { Empty, Panel, useFirst } from './panel.tsx';

/** Number of sessions shown at first. A phone shows fewer, so that the user reaches the feed with little scrolling. */
const FIRST = { wide: 8, narrow: 4 };
const STATUSES: readonly SessionStatus[] = ['waiting', 'active', 'idle', 'ended'];

export function Sessions() {
  const all = sessions.value;
  const others = all?.filter(({ status }) => status !== 'waiting') ?? [];
  const [first, button] = useFirst(others, isNarrow.value ? FIRST.narrow : FIRST.wide);
  const isRunning = ({ session, status }: (typeof others)[number]) =>
    status === 'active' && !isYourTurn({ ...session, status });
  const running = first.filter(isRunning);
  const list = first.filter((one) => !isRunning(one));
  const count = needAnswer.value.length + first.length;
  useEffect(() => {
    listedCount.value = count;
  }, [count]);
  return (
    <Panel id="sessions" title="Sessions" more={all === null || all.length === 0 ? undefined : summary()}>
      {all !== null && all.length === 0 && <Empty>A session begins with its first event.</Empty>}
      {needAnswer.value.length > 0 && (
        <>
          <h3 class="group is-waiting" id="need-answer">
            Needs an answer ({needAnswer.value.length})
          </h3>
          <ul class="sessions" aria-labelledby="need-answer">
            {needAnswer.value.map((one) => (
              <SessionRow key={one.session.id} {...one} />
            ))}
          </ul>
          {running.length === 0 && list.length > 0 && <h3 class="group dim">Others</h3>}
        </>
      )}
      {running.length > 0 && (
        <>
          <h3 class="group" id="running">
            Running ({running.length})
          </h3>
          <ul class="sessions" aria-labelledby="running">
            {running.map((one) => (
              <SessionRow key={one.session.id} {...one} />
            ))}
          </ul>
          {list.length > 0 && <h3 class="group dim">Others</h3>}
        </>
      )}
      <ul class="sessions">
        {list.map((one) => (
          <SessionRow key={one.session.id} {...one} />
        ))}
      </ul>
      {button}
    </Panel>
  );
}

/** Counts the loaded sessions, which are the newest. */
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
  const isTurn = isYourTurn({ ...session, status });
  const where = [session.agent_type, session.branch].filter((part) => part !== null).join(' · ');
  const costs = costsOfSession(session);
  return (
    <li class={status === 'waiting' ? 'waits-for-you' : undefined}>
      <button
        type="button"
        class="session"
        aria-pressed={isChosen}
        title={`Session ${legible(session.id)}: show its events and figures`}
        onClick={() => setFilter('session_id', isChosen ? undefined : session.id)}
      >
        <span class={`state is-${status}`}>
          <span class="dot" aria-hidden="true" />
          {status}
        </span>
        <span class="name text">{titleOf(session)}</span>
        <span class="age number" title="Newest event">
          {span(age_ms)} ago
        </span>
        {status === 'waiting' && <strong class="asks">{askText(session)}</strong>}
        <span class="where text dim">
          {isTurn && <strong class="turn">your turn · </strong>}
          {legible(where)} · {legible(session.id)}
        </span>
        <span class="sums number dim">
          {counted(session.event_count, 'event')}
          {session.error_count > 0 && <span class="bad"> · {counted(session.error_count, 'error')}</span>}
          {costs.reported + costs.tokens > 0 && <span title={titleOfCost(costs)}> · {costText(costs)}</span>}
        </span>
      </button>
      <a class="open-session" href={sessionHref(session.id)} title="Open its page: turns, calls and times">
        ›<span class="unseen">Page of {titleOf(session)}</span>
      </a>
      {status === 'waiting' && (
        <button type="button" class="dismiss" onClick={() => void dismiss(session.id)}>
          Dismiss
        </button>
      )}
      {isChosen && <DeleteSession session={session} />}
    </li>
  );
}

/** Formats whole minutes, so that the text does not change every second. */
function minutes(ms: number): string {
  return ms < 60_000 ? 'now' : span(Math.floor(ms / 60_000) * 60_000);
}

function askText(session: Session): string {
  const { waiting_since, waiting_stale } = session;
  const since = waiting_since ? ` · ${minutes(now_ms.value - Date.parse(waiting_since))}` : '';
  return `${askOf(session)}${since}${waiting_stale ? ' · forgotten?' : ''}`;
}
