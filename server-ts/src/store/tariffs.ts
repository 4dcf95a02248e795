/**
 * Remembers which prices apply to a model, so that its name is compared with the rules once (rule PRI-02).
 *
 * Belongs to the writer's thread. Invariant: at most `TUNING.tariffs` names are remembered, since clients choose them.
 */
import { TUNING } from '../contract.ts';
import { type Prices, type Tariff, tariffOf } from '../prices.ts';

/** The tariffs of the models that events had, by model and service tier. */
export class Tariffs {
  private readonly prices: Prices | undefined;
  private readonly known = new Map<string, Map<string, Tariff | undefined>>();
  private count = 0;

  /** Creates tariffs of these prices; without prices no model has one. */
  constructor(prices: Prices | undefined) {
    this.prices = prices;
  }

  /** Returns the prices that apply to a model in a service tier. */
  of(model: string, serviceTier: string | undefined): Tariff | undefined {
    if (this.prices === undefined) return undefined;
    const tier = serviceTier ?? '';
    const tiers = this.known.get(model);
    if (tiers?.has(tier)) return tiers.get(tier);
    const tariff = tariffOf(this.prices, model, serviceTier);
    if (this.count >= TUNING.tariffs) {
      this.known.clear();
      this.count = 0;
    }
    this.count++;
    const ofModel = this.known.get(model) ?? new Map<string, Tariff | undefined>();
    this.known.set(model, ofModel.set(tier, tariff));
    return tariff;
  }
}
