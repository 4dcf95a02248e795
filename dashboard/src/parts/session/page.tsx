/** The page of one session: its title, one line of sums, and its timeline. */
import { costText, titleOfCost } from '../../cost-text.ts';
import { costsOfSession } from '../../costs.ts';
import { sessions } from '../../figures.ts';
import { counted, duration, legible, short, whole } from '../../format.ts';
import { pathIn } from '../../session/path.ts';
import { foldAll, isMissing, MOST_ROWS, page, totals, turns, withSteps } from '../../session/state.ts';
import { summaryOf } from '../../summary.ts';
import { clock } from '../../titles.ts';
import { setFilter } from '../../view.ts';
import { askOf, isYourTurn } from '../../waiting.ts';
import { Timeline } from './timeline.tsx';

export function SessionPage({ id }: { readonly id: string }) {
  const at = page.value;
  const prompt = turns.value.find((turn) => turn.prompt !== null)?.prompt;
  return (
    <section class="panel session-page" aria-labelledby="session-title">
      <div class="session-head">
        <a class="button" href="#/">
          ← All sessions
        </a>
        <h2 id="session-title" class="text">
          {prompt ? summaryOf(prompt.row) : `Session ${legible(id, 60)}`}
        </h2>
        {/* biome-ignore lint/a11y/useValidAnchor: it opens the overview, with a filter. */}
        <a
          class="button"
          href="#/"
          onClick={() => setFilter('session_id', id)}
          title="Show the feed with the events of this session only"
        >
          In the feed
        </a>
      </div>
      {isMissing.value ? (
        <p class="empty">No event of this session is stored: {legible(id)}</p>
      ) : at === null ? (
        <p class="empty">Loading…</p>
      ) : (
        <>
          <Where />
          <Summary />
          <Tools />
          <Timeline />
        </>
      )}
    </section>
  );
}

/** The agent, the folder, the branch and the state. */
function Where() {
  const { session, rows } = page.value!;
  const status = sessions.value?.find((one) => one.session.id === session.id)?.status ?? session.status;
  const parts = [session.agent_type, pathIn(rows) ?? session.project, session.branch, session.model];
  return (
    <p class="session-where">
      <span class={`state is-${status}`}>
        <span class="dot" aria-hidden="true" />
        {status === 'waiting'
          ? askOf(session)
          : isYourTurn({ ...session, status })
            ? `${status} · your turn`
            : status}
      </span>
      <span class="text dim">
        {parts.flatMap((part) => (part === null ? [] : legible(part, 120))).join(' · ')} · began{' '}
        {clock(new Date(turns.value[0]?.start ?? session.started_at))}
      </span>
    </p>
  );
}

/** One line: cost, calls, context, and where the time went. */
function Summary() {
  const { session, hasOlder, isLoading } = page.value!;
  const sums = totals.value;
  const costs = costsOfSession(session);
  const { cache_read_tokens: reused, cache_write_tokens: rebuilt } = session;
  const hasTokens = session.tokens_in + session.tokens_out + reused + rebuilt > 0;
  return (
    <p class="session-sums number">
      {costs.reported + costs.tokens > 0 && (
        <span title={titleOfCost(costs)}>
          <strong>{costText(costs)}</strong>
        </span>
      )}
      <span>
        <strong>{whole(sums.modelCalls)}</strong> model call{sums.modelCalls === 1 ? '' : 's'}
      </span>
      <span>
        <strong>{whole(sums.toolCalls)}</strong> tool call{sums.toolCalls === 1 ? '' : 's'}
      </span>
      {session.error_count > 0 && <span class="bad">{counted(session.error_count, 'error')}</span>}
      {hasTokens && (
        <>
          <span title="Tokens sent to the model, without those of its cache, and tokens that it wrote">
            {short(session.tokens_in)} tokens in, {short(session.tokens_out)} out
          </span>
          <span title="Tokens that the model read from its cache, and tokens that were written to the cache">
            context: <strong>{short(reused)}</strong> reused, <strong>{short(rebuilt)}</strong> rebuilt
          </span>
        </>
      )}
      <span title="Questions and requests for permission, until they were answered">
        waited for you <strong>{duration(sums.waited)}</strong>
      </span>
      <span title="From each prompt to its answer, without the waits">
        worked <strong>{duration(sums.worked)}</strong>
      </span>
      {(hasOlder || isLoading) && (
        <span class="dim">
          {isLoading ? 'loading…' : `calls and times of the newest ${whole(MOST_ROWS)} events`}
        </span>
      )}
    </p>
  );
}

/** What the timeline shows. */
function Tools() {
  return (
    <div class="session-tools">
      <h3 id="timeline-title">
        {counted(turns.value.filter(({ prompt }) => prompt !== null).length, 'turn')}
      </h3>
      <ul class="legend dim" aria-label="Colours">
        <li>
          <span class="key bar-model" aria-hidden="true" />
          model
        </li>
        <li>
          <span class="key bar-tool" aria-hidden="true" />
          tool
        </li>
        <li>
          <span class="key bar-wait" aria-hidden="true" />
          waits for you
        </li>
        <li>
          <span class="key bar-bad" aria-hidden="true" />
          error
        </li>
      </ul>
      <span class="spring" />
      <button type="button" onClick={() => foldAll(true)}>
        Open all
      </button>
      <button type="button" onClick={() => foldAll(false)}>
        Fold all
      </button>
      <button
        type="button"
        aria-pressed={withSteps.value}
        title="Also show events that say little, such as the end of a batch of calls"
        onClick={() => {
          withSteps.value = !withSteps.value;
        }}
      >
        All events
      </button>
    </div>
  );
}
