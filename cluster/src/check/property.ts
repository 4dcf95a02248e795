/** The properties of a shared stream that a run must keep. */

export const PROPERTIES = {
  lost: 'an acknowledged event is in every copy',
  doubled: 'no event is stored twice',
  foreign: 'only events that were sent are stored',
  order: 'ids of acknowledgements grow, and so do the ids of a copy',
  unequal: 'all copies have equal rows and statistics',
  backwards: 'reads of a node never go backwards, and include what it acknowledged',
  moving: 'reads with min_seq never go backwards, and include it, whichever node answers',
  stream: 'a client that moves between nodes sees every event once, in order',
  attached: 'an acknowledged attachment is whole in every copy',
  stuck: 'every node accepts events after the healing',
  refused: 'no valid event and no valid attachment is refused',
} as const;

export type Property = keyof typeof PROPERTIES;

export interface Violation {
  readonly property: Property;
  readonly text: string;
}

/** Collects violations. */
export type Report = (property: Property, text: string) => void;
