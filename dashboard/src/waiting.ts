/** Sessions that wait for a person: which ones, and what for. */
import { computed, effect } from '@preact/signals';
import type { Session } from './api.ts';
import { sessions } from './figures.ts';

const ASKS: Readonly<Record<string, string>> = {
  permission: 'asks for permission',
  question: 'asks a question',
};

/** Those that cannot go on without an answer, newest first. */
export const needAnswer = computed(() => sessions.value?.filter(({ status }) => status === 'waiting') ?? []);

/** What a session that needs an answer asks for. */
export function askOf({ waiting_reason }: Session): string {
  return ASKS[waiting_reason ?? ''] ?? 'needs an answer';
}

/** The agent has finished and the next word is the person's. */
export function isYourTurn({ status, waiting_reason }: Session): boolean {
  return status !== 'waiting' && status !== 'ended' && waiting_reason !== null;
}

/** Takes a session off the list of those that wait; where that fails it stays on the list. */
export async function dismiss(id: string): Promise<void> {
  await fetch(`/api/sessions/${encodeURIComponent(id)}/dismiss`, { method: 'POST' }).catch(() => undefined);
}

/** Counts them in the title of the tab. */
export function followTitle(): void {
  const name = document.title;
  effect(() => {
    const count = needAnswer.value.length;
    document.title = count === 0 ? name : `(${count}) ${name}`;
  });
}
