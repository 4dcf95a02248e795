/**
 * The order of the methods in a round: a Williams design.
 *
 * Why: a rotation alone keeps the neighbours, so that the garbage of one method would always slow down the same other
 * method. Invariant: in 2 × count rounds each method has each place twice, and follows each other method twice.
 */
export function orderOf(round: number, count: number): number[] {
  const zigzag = Array.from({ length: count }, (_, i) => (i % 2 === 0 ? count - i / 2 : (i + 1) / 2));
  const rotated = zigzag.map((place) => (place + round) % count);
  return Math.floor(round / count) % 2 === 0 ? rotated : rotated.reverse();
}
