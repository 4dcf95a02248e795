/** The page `/bench/`: a user presses a button and watches the methods race (contract rule BEN-05). */
import { METHODS } from './methods.ts';
import { type Lap, percentile, race } from './race.ts';

export { METHODS } from './methods.ts';
export { race, runLap } from './race.ts';

/** Columns of numbers that a narrow screen hides. */
const MINOR_COLUMNS: ReadonlySet<number> = new Set([1, 2, 3]);

const form = document.querySelector<HTMLFormElement>('#race')!;
const rows = document.querySelector<HTMLTableSectionElement>('#rows')!;
const state = document.querySelector<HTMLOutputElement>('#state')!;
const button = form.querySelector('button')!;

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const fields = new FormData(form);
  void start(Number(fields.get('size')), Number(fields.get('rounds')));
});
draw([]);

async function start(size: number, rounds: number): Promise<void> {
  const laps: Lap[] = [];
  button.disabled = true;
  state.textContent = 'Warm-up …';
  try {
    await race(size, rounds, (lap, round) => {
      laps.push(lap);
      state.textContent = `Round ${round} of ${rounds} …`;
      draw(laps);
    });
    state.textContent = `Done: ${rounds} rounds of ${size.toLocaleString('en')} bytes, every result the same.`;
  } catch (error) {
    state.textContent = `Failed: ${error instanceof Error ? error.message : String(error)}`;
  } finally {
    button.disabled = false;
  }
}

/** Draws the table of the results so far. */
function draw(laps: readonly Lap[]): void {
  const medians = new Map(METHODS.map(({ name }) => [name, percentile(of(laps, name, 'took'), 0.5)]));
  const slowest = Math.max(...[...medians.values()].filter((value) => !Number.isNaN(value)));
  const numbers = medians.get('numbers')!;
  rows.replaceChildren(
    ...METHODS.map(({ name, title, isSupported }) => {
      const row = document.createElement('tr');
      const head = document.createElement('th');
      head.scope = 'row';
      head.textContent = isSupported ? title : `${title} (not in this browser)`;
      const median = medians.get(name)!;
      const isKnown = !Number.isNaN(median);
      row.append(
        head,
        ...[
          isKnown ? median.toFixed(1) : '—',
          isKnown ? percentile(of(laps, name, 'took'), 0.95).toFixed(1) : '—',
          isKnown ? percentile(of(laps, name, 'received'), 0.5).toLocaleString('en') : '—',
          isKnown ? Math.max(...of(laps, name, 'block')).toFixed(1) : '—',
          isKnown && !Number.isNaN(numbers) ? `${(numbers / median).toFixed(1)} ×` : '—',
        ].map((text, column) => numberCell(text, MINOR_COLUMNS.has(column))),
        bar(isKnown ? median / slowest : 0),
      );
      return row;
    }),
  );
}

function of(laps: readonly Lap[], name: string, key: 'took' | 'block' | 'received'): number[] {
  return laps.filter(({ method }) => method === name).map((lap) => lap[key]);
}

function numberCell(text: string, isMinor: boolean): HTMLTableCellElement {
  const cell = document.createElement('td');
  cell.className = isMinor ? 'number minor' : 'number';
  cell.textContent = text;
  return cell;
}

/** Returns a cell with a bar, as a share of the longest one. The numbers have the same information. */
function bar(share: number): HTMLTableCellElement {
  const cell = document.createElement('td');
  cell.className = 'chart minor';
  const line = document.createElement('div');
  line.style.width = `${100 * share}%`;
  cell.append(line);
  return cell;
}
