/** Sessions that wait for the user, and their reasons. */
import { computed, effect } from '@preact/signals';
import type { Session } from './api.ts';
import { sessions } from './figures.ts';

const ASKS: Readonly<Record<string, string>> = {
  permission: 'asks for permission',
  question: 'asks a question',
};

/** The sessions that need an answer to continue, newest first. */
export const needAnswer = computed(() => sessions.value?.filter(({ status }) => status === 'waiting') ?? []);

/** Describes the request of a session that needs an answer. */
export function askOf({ waiting_reason }: Session): string {
  return ASKS[waiting_reason ?? ''] ?? 'needs an answer';
}

/** Returns whether the agent has finished and waits for the user's next prompt. */
export function isYourTurn({ status, waiting_reason }: Session): boolean {
  return status !== 'waiting' && status !== 'ended' && waiting_reason !== null;
}

/** Removes a session from the waiting list; on failure it stays. */
export async function dismiss(id: string): Promise<void> {
  await fetch(`/api/sessions/${encodeURIComponent(id)}/dismiss`, { method: 'POST' }).catch(() => undefined);
}

/** Shows the number of waiting sessions in the title of the tab. */
export function followTitle(): void {
  const name = document.title;
  effect(() => {
    const count = needAnswer.value.length;
    document.title = count === 0 ? name : `(${count}) ${name}`;
  });
}
