/** A titled box of the side column, with a list that is short at first. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

interface PanelProps {
  readonly id: string;
  readonly title: string;
  readonly more?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Panel({ id, title, more, children }: PanelProps) {
  return (
    <section class="panel" aria-labelledby={`${id}-title`}>
      <div class="panel-head">
        <h2 id={`${id}-title`}>{title}</h2>
        {more !== undefined && <span class="dim">{more}</span>}
      </div>
      {children}
    </section>
  );
}

/** Returns the first items of a list, or all of them on request. */
export function useFirst<T>(list: readonly T[], most: number): [readonly T[], ComponentChildren] {
  const [isOpen, setIsOpen] = useState(false);
  if (list.length <= most) return [list, null];
  const button = (
    <button type="button" class="quiet wide" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
      {isOpen ? 'Show fewer' : `Show all ${list.length}`}
    </button>
  );
  return [isOpen ? list : list.slice(0, most), button];
}

export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}
