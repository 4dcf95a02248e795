/** Whether the page is as narrow as on a phone, by the media query of the styles. */
import { signal } from '@preact/signals';

const narrow = matchMedia('(max-width: 720px)');
export const isNarrow = signal(narrow.matches);
narrow.addEventListener('change', () => {
  isNarrow.value = narrow.matches;
});
