/** Shows notifications of the browser and plays their sound, while the user wants them. */
import { effect, untracked } from '@preact/signals';
import { failures, health, sessions } from '../figures.ts';
import { legible } from '../format.ts';
import { sessionHref } from '../route.ts';
import { titleOf } from '../titles.ts';
import { askOf } from '../waiting.ts';
import { choice } from './choice.ts';
import { type PageNotice, PageNotices } from './notices.ts';
import { playSound } from './sound.ts';

const MOST_CHARACTERS = 120;

/** Follows the state of the page while notifications are on; what it holds then is no news. */
export function followNotices(): void {
  effect(() => {
    if (choice.value === 'off') return;
    const notices = new PageNotices();
    const stops = untracked(() => [
      effect(() => {
        if (sessions.value === null) return;
        const observed = sessions.value.map(({ session, status }) => ({
          session,
          needsAnswer: status === 'waiting',
          title: titleOf(session),
          ask: askOf(session),
        }));
        show(notices.ofSessions(observed));
      }),
      effect(() => {
        if (failures.value !== null) show(notices.ofFailures(failures.value, titleOfId));
      }),
      effect(() => {
        if (health.value !== null) show(notices.ofBudget(health.value.budget));
      }),
    ]);
    return () => {
      for (const stop of stops) stop();
    };
  });
}

function titleOfId(id: string): string {
  const found = untracked(() => sessions.value?.find(({ session }) => session.id === id));
  return found === undefined ? id : untracked(() => titleOf(found.session));
}

function show(notices: readonly PageNotice[]): void {
  if (notices.length === 0) return;
  for (const { tag, text, session } of notices) {
    try {
      const shown = new Notification(document.title.replace(/^\(\d+\) /, ''), {
        body: legible(text, MOST_CHARACTERS),
        tag,
      });
      shown.onclick = () => {
        window.focus();
        location.hash = session === null ? '' : sessionHref(session);
        shown.close();
      };
    } catch {
      // A browser on a phone shows notifications of service workers alone.
    }
  }
  if (choice.peek() === 'sound') playSound();
}
