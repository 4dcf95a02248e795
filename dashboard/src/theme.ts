/** Light, dark, or the system's choice; this browser stores the user's choice. */
import { computed, effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'theme';
const system = matchMedia('(prefers-color-scheme: dark)');
const systemIsDark = signal(system.matches);

export const theme = signal<Theme>(kept());
/** The effective theme. */
export const isDark = computed(() =>
  theme.value === 'system' ? systemIsDark.value : theme.value === 'dark',
);

export function followTheme(): void {
  system.addEventListener('change', () => {
    systemIsDark.value = system.matches;
  });
  effect(() => {
    document.documentElement.dataset.theme = theme.value;
    try {
      localStorage.setItem(KEY, theme.value);
    } catch {
      // Without storage the choice ends with the page.
    }
  });
}

function kept(): Theme {
  try {
    const value = localStorage.getItem(KEY);
    if (value === 'light' || value === 'dark') return value;
  } catch {
    // A browser without storage has no stored choice.
  }
  return 'system';
}
