/** The order in which the servers take turns: A B B A A B B A …, so that a drift favours neither. */
export function inTurn<Server>(servers: readonly Server[], count: number): Server[] {
  return Array.from({ length: count }, (_, i) => (i % 2 === 0 ? servers : servers.toReversed())).flat();
}
