/** The choice of notifications: off, with a sound, silent. */
import { type Choice, choice, choose, isRefused } from '../notify/choice.ts';
import { playSound } from '../notify/sound.ts';

const NEXT: Readonly<Record<Choice, Choice>> = { off: 'sound', sound: 'silent', silent: 'off' };
export function NotifyChoice() {
  const now = choice.value;
  const title = isRefused.value
    ? 'The browser refuses notifications of this page; its settings change that.'
    : 'Notifies you when a session needs an answer, finishes or fails, or the day is above the budget.';
  // The name begins with the visible text, so that it can be spoken to a browser.
  const state = isRefused.value ? 'refused' : now;
  return (
    <button
      type="button"
      class="quiet"
      aria-label={`Notify me: ${state}. Change to ${NEXT[now]}`}
      title={title}
      onClick={async () => {
        await choose(NEXT[now]);
        // The click also allows later sounds.
        if (choice.peek() === 'sound') playSound();
      }}
    >
      {state === 'off' ? 'Notify me' : `Notify me: ${state}`}
    </button>
  );
}
