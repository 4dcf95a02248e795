/**
 * The cost that a server computes for an event, by rules PRI-02, PRI-04 and PRI-08 and the built-in prices.
 *
 * The code follows the rules and not a server's source, so that it can check both servers, which run without a file of
 * prices.
 */
import { type NamesFile, spellingsOf } from '@twin-ingest/testkit/events/price-names.ts';
import MODELS from '../../../../contract/prices/models.json' with { type: 'json' };
import NAMES from '../../../../contract/prices/names.json' with { type: 'json' };

type Rates = Readonly<Record<string, number>>;
type Tariff = Rates & { readonly above?: Readonly<Record<string, Rates>> };
type Price = Tariff & { readonly modes?: Readonly<Record<string, Tariff | number>> };

const LIST: Readonly<Record<string, Price>> = MODELS.models as never;
const RULES: NamesFile = NAMES;
const TOKENS = 1e6;
const NANOS = 1e9;
const MOST_USD = 1e6;

/** Returns the cost in US dollars, null for an event that gets none. */
export function expectedCost(event: Readonly<Record<string, unknown>>): number | null {
  if (event.cost_usd != null || typeof event.model !== 'string') return null;
  const count = (name: string): number => Number(event[name] ?? 0);
  const writes = count('cache_write_tokens');
  const hour = Math.min(count('cache_write_1h_tokens'), writes);
  const counts = {
    input: count('tokens_in'),
    output: count('tokens_out'),
    cache_read: count('cache_read_tokens'),
    cache_write: writes - hour,
    cache_write_1h: hour,
  };
  const prompt = counts.input + counts.cache_read + writes;
  const rates = ratesOf(event.model.trim(), String(event.service_tier ?? '').trim(), prompt);
  const priced = Object.entries(counts).filter(([, tokens]) => tokens > 0);
  if (rates === undefined || priced.length === 0 || priced.some(([kind]) => rates[kind] === undefined))
    return null;
  const usd = priced.reduce((sum, [kind, tokens]) => sum + tokens * rates[kind]!, 0) / TOKENS;
  return usd <= MOST_USD ? roundHalfEven(usd * NANOS) / NANOS : null;
}

function ratesOf(model: string, tier: string, prompt: number): Rates | undefined {
  const name = spellingsOf(model, RULES).find((one) => LIST[one] !== undefined);
  const modes = tier === '' ? [] : RULES.modes[tier.toLowerCase()];
  if (name === undefined || modes === undefined) return undefined;
  const price = LIST[name]!;
  const mode = modes.map((one) => price.modes?.[one]).find((one) => one !== undefined);
  if (modes.length > 0 && mode === undefined) return undefined;
  const factor = typeof mode === 'number' ? mode : 1;
  const { above = {}, ...usual } = typeof mode === 'object' ? mode : price;
  const size = Math.max(
    ...Object.keys(above)
      .map(Number)
      .filter((one) => prompt > one),
  );
  const rates = Number.isFinite(size) ? above[size]! : usual;
  const numbers = Object.entries(rates).filter(([, rate]) => typeof rate === 'number');
  return Object.fromEntries(numbers.map(([kind, rate]) => [kind, rate * factor]));
}

function roundHalfEven(value: number): number {
  const down = Math.floor(value);
  const rest = value - down;
  if (rest !== 0.5) return Math.round(value);
  return down % 2 === 0 ? down : down + 1;
}
