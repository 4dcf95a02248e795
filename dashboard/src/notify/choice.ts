/** Whether this browser notifies its user, silently or with a sound; it stores the choice. */
import { effect, signal } from '@preact/signals';

export type Choice = 'off' | 'silent' | 'sound';

const KEY = 'notify';

export const choice = signal<Choice>(kept());

/** Whether the browser has refused notifications. */
export const isRefused = signal(false);

/** Takes the user's choice. Asks the browser for its permission, so only a click may call this. */
export async function choose(wanted: Choice): Promise<void> {
  if (wanted !== 'off' && !(await isAllowed())) {
    isRefused.value = true;
    choice.value = 'off';
    return;
  }
  isRefused.value = false;
  choice.value = wanted;
}

export function followChoice(): void {
  effect(() => {
    const { value } = choice;
    try {
      if (value === 'off') localStorage.removeItem(KEY);
      else localStorage.setItem(KEY, value);
    } catch {
      // Without storage the choice ends with the page.
    }
  });
}

async function isAllowed(): Promise<boolean> {
  // A page of another computer without TLS has no notifications.
  if (!('Notification' in globalThis)) return false;
  if (Notification.permission === 'default') await Notification.requestPermission();
  return Notification.permission === 'granted';
}

/** Returns the stored choice, unless the user has withdrawn the browser's permission since. */
function kept(): Choice {
  try {
    const value = localStorage.getItem(KEY);
    const isGranted = 'Notification' in globalThis && Notification.permission === 'granted';
    if (isGranted && (value === 'silent' || value === 'sound')) return value;
  } catch {
    // A browser without storage has no stored choice.
  }
  return 'off';
}
