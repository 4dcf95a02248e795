/** The client of either server, for browsers and Node: sends events, follows the stream, keeps a state in sync. */
export type { SentEvent } from './batch.ts';
export type { Clock } from './clock.ts';
export type { ConnectionState } from './connection.ts';
export type {
  Backup,
  Counted,
  Deleted,
  EventPage,
  EventRow,
  EventsQuery,
  EventTimePage,
  EventType,
  OutgoingEvent,
  Series,
  SeriesLine,
  SeriesQuery,
  Session,
  SessionPage,
  SessionsQuery,
  SessionWithEvents,
  Source,
  Stats,
  StatsQuery,
  Status,
} from './contract.ts';
export type { BodyReader, Fetch, RequestOptions, ResponseLike } from './fetch.ts';
export type { Format, PageFormat, Piece } from './format.ts';
export { type IterateOptions, iterateEvents, type StreamedEvent } from './iterate.ts';
export { backup, deleteEvents, deleteSession } from './manage.ts';
export type { PaceOptions } from './pace.ts';
export {
  type EventsByTimeOptions,
  type EventsOptions,
  events,
  eventsByTime,
  type ReadOptions,
  series,
  sessions,
  stats,
} from './read.ts';
export { RefusedError } from './refusal.ts';
export { compareRevisions, isRevision, maxRevision, type Revision, ZERO } from './revision.ts';
export {
  type FlushOptions,
  QueueFullError,
  Sender,
  type SenderCounts,
  type SenderOptions,
  type SenderState,
} from './send.ts';
export type { ServerOptions } from './server.ts';
export {
  type StreamFilter,
  type StreamOptions,
  type StreamPosition,
  streamEvents,
} from './stream.ts';
export { Sync } from './sync.ts';
export type { Invalidation, Known, Phase, Snapshot, SyncCounts, SyncOptions } from './sync-options.ts';
export {
  type Topic,
  type TopicName,
  type TopicOptions,
  type TopicStates,
  Topics,
  type TopicsOptions,
} from './topics.ts';
