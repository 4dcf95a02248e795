/** The selected session: its title and its totals so far. */
import { counted, span, whole } from '../format.ts';
import { sessionHref } from '../route.ts';
import { headline, SCOPE_ROWS, scope, scopeId, scopeStatus } from '../scope.ts';
import { now_ms } from '../time.ts';
import { clock, titleOf } from '../titles.ts';
import { setFilter } from '../view.ts';
import { askOf } from '../waiting.ts';

export function Headline() {
  if (scopeId.value === null) return null;
  const at = scope.value;
  const sums = headline.value;
  return (
    <section class="panel headline" aria-label="Chosen session">
      <h2 class="text">{at === null ? 'Session' : titleOf(at.session)}</h2>
      {at !== null && sums !== null && (
        <p class="number">
          {scopeStatus.value !== null && (
            <span class={`state is-${scopeStatus.value}`}>
              <span class="dot" aria-hidden="true" />
              {scopeStatus.value === 'waiting' ? askOf(at.session) : scopeStatus.value}
            </span>
          )}
          <span>
            since {clock(new Date(at.session.started_at))}{' '}
            <span class="dim">({span(now_ms.value - Date.parse(at.session.started_at))})</span>
          </span>
          <span>{counted(sums.turns, 'turn')}</span>
          <span>{counted(sums.calls, 'call')}</span>
          <span class={at.session.error_count > 0 ? 'bad' : undefined}>
            {counted(at.session.error_count, 'error')}
          </span>
          <span>{counted(sums.waits, 'wait')}</span>
          {!at.isWhole && (
            <span class="dim">turns, calls and waits of its newest {whole(SCOPE_ROWS)} events</span>
          )}
        </p>
      )}
      <a class="button" href={sessionHref(scopeId.value)}>
        Turns and times
      </a>
      <button type="button" onClick={() => setFilter('session_id', undefined)}>
        All sessions
      </button>
    </section>
  );
}
