/** The top of the page: its title, the connection, and the choices of notifications and colours. */
import { connection } from '../connection.ts';
import { health, isHealthKnown } from '../figures.ts';
import { span } from '../format.ts';
import { pullFailure } from '../pulls.ts';
import { type Theme, theme } from '../theme.ts';
import { now_ms } from '../time.ts';
import { NotifyChoice } from './notify-choice.tsx';
import { RangeChoice } from './range-choice.tsx';

export function Header() {
  const at = health.value;
  return (
    <header class="top">
      <h1>
        twin<span>-ingest</span>
      </h1>
      <ConnectionBadge />
      <RangeChoice />
      {at !== null && isHealthKnown.value && (
        <p class="runtime">
          {at.runtime} {at.version}
          <span class="dim"> · up {span(at.uptime * 1000)}</span>
        </p>
      )}
      <NotifyChoice />
      <ThemeChoice />
    </header>
  );
}

function ConnectionBadge() {
  const { state, text, title } = describe();
  return (
    <p class={`badge is-${state}`} data-connection={state} title={title}>
      <span class="dot" aria-hidden="true" />
      {text}
    </p>
  );
}

interface Description {
  readonly state: string;
  readonly text: string;
  readonly title?: string;
}

function describe(): Description {
  const now = connection.value;
  switch (now.state) {
    case 'live':
      return pullFailure.value === null ? { state: 'live', text: 'Live' } : outOfDate(pullFailure.value);
    case 'connecting':
      return { state: 'connecting', text: 'Connecting' };
    case 'asleep':
      return { state: 'asleep', text: 'Asleep' };
    case 'refused':
      return {
        state: 'refused',
        text: now.status === 401 ? 'Refused: open /?token=… once' : `Refused with ${now.status}`,
      };
    case 'lost': {
      // Reading this signal updates the countdown with the clock.
      void now_ms.value;
      const left_s = Math.max(0, Math.ceil((now.retry_at_ms - performance.now()) / 1000));
      return { state: 'lost', text: left_s === 0 ? 'Lost, retrying' : `Lost, retrying in ${left_s} s` };
    }
  }
}

/** Describes data that is out of date: the stream announced a change, but the new state cannot be fetched. */
function outOfDate({ status }: { readonly status: number | null }): Description {
  const why = status === null ? 'no answer' : `refused with ${status}`;
  return {
    state: 'stale',
    text: 'Out of date',
    title: `What changed could not be fetched (${why}); it is asked for again.`,
  };
}

const NEXT: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };
const NAMES: Readonly<Record<Theme, string>> = { system: 'Auto', light: 'Light', dark: 'Dark' };

function ThemeChoice() {
  const now = theme.value;
  return (
    <button
      type="button"
      class="quiet"
      aria-label={`Colours: ${NAMES[now]}. Change to ${NAMES[NEXT[now]]}`}
      onClick={() => {
        theme.value = NEXT[now];
      }}
    >
      {NAMES[now]}
    </button>
  );
}
