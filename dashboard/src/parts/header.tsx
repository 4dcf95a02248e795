/** The top of the page: what it is, whether it is live, and the choice of colours. */
import { connection } from '../connection.ts';
import { health } from '../figures.ts';
import { span } from '../format.ts';
import { type Theme, theme } from '../theme.ts';
import { now_ms } from '../time.ts';

export function Header() {
  const at = health.value;
  return (
    <header class="top">
      <h1>
        twin<span>-ingest</span>
      </h1>
      <ConnectionBadge />
      {at !== null && (
        <p class="runtime">
          {at.runtime} {at.version}
          <span class="dim"> · up {span(at.uptime * 1000)}</span>
        </p>
      )}
      <ThemeChoice />
    </header>
  );
}

function ConnectionBadge() {
  const { state, text } = describe();
  return (
    <p class={`badge is-${state}`} data-connection={state}>
      <span class="dot" aria-hidden="true" />
      {text}
    </p>
  );
}

function describe(): { state: string; text: string } {
  const now = connection.value;
  switch (now.state) {
    case 'live':
      return { state: 'live', text: 'Live' };
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
      // Read, so that the countdown goes on with the clock.
      void now_ms.value;
      const left_s = Math.max(0, Math.ceil((now.retry_at_ms - performance.now()) / 1000));
      return { state: 'lost', text: left_s === 0 ? 'Lost, retrying' : `Lost, retrying in ${left_s} s` };
    }
  }
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
