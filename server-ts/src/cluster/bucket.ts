/** Opens the bucket of a stream, an object store of NATS, reads, lists and removes objects (rules CLU-14 to CLU-17). */
import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamInfo } from '@nats-io/jetstream';
import type { ObjectInfo, ObjectStore } from '@nats-io/obj';
import { LIMITS } from '../contract.ts';
import { type Link, UNREACHABLE } from './link.ts';

/** The reason why the copy cannot go on without the bytes of an attachment. */
export class MissingBytes extends Error {}

/** The objects of a bucket, and the chunks that none of them names. */
interface Listing {
  /** Each object and the id of its chunks. */
  readonly objects: readonly { readonly name: string; readonly chunks: string }[];
  /** Ids of chunks without an object. */
  readonly leftovers: readonly string[];
}

/** The bucket of a stream. */
export class Bucket {
  private readonly link: Link;

  constructor(link: Link) {
    this.link = link;
  }

  /** Returns the object store; `undefined` when it does not exist. */
  async open(): Promise<ObjectStore | undefined> {
    return (await this.stream()) && this.store();
  }

  /** Returns the object store, and creates it first if it does not exist. */
  async openOrCreate(): Promise<ObjectStore> {
    if ((await this.stream()) !== undefined) return this.store();
    const { manager } = this.current();
    const { DiscardPolicy, StorageType } = this.link.library;
    const { config } = await manager.streams.info(this.link.source.name);
    await manager.streams.add({
      name: this.streamName,
      subjects: [this.subject('C', '>'), this.subject('M', '>')],
      storage: StorageType.File,
      num_replicas: config.num_replicas,
      discard: DiscardPolicy.New,
      allow_rollup_hdrs: true,
      // Reads ask the leader, so that a follower that is behind hides no object.
      allow_direct: false,
      max_bytes: -1,
      max_msgs: -1,
      max_msgs_per_subject: -1,
    });
    return this.store();
  }

  /**
   * Returns the chunks of an object; `undefined` when it does not exist. Each is one request. The library reads with a
   * consumer for each object, and NATS refuses more than 1,000 consumers of a stream.
   */
  async read(name: string): Promise<AsyncGenerator<Uint8Array> | undefined> {
    const found = await (await this.open())?.info(name);
    return found === undefined || found === null || found.deleted ? undefined : this.chunks(found);
  }

  private async *chunks({ nuid, chunks }: ObjectInfo): AsyncGenerator<Uint8Array> {
    const next_by_subj = this.subject('C', nuid);
    let seq = 1;
    for (let read = 0; read < chunks; read++) {
      const request = { seq, next_by_subj };
      const message = await this.current().manager.streams.getMessage(this.streamName, request);
      if (message === null) throw new MissingBytes(UNREACHABLE);
      seq = message.seq + 1;
      yield message.data;
    }
  }

  /** Lists the bucket; `undefined` when NATS does not answer. */
  async list(): Promise<Listing | undefined> {
    try {
      const store = await this.open();
      if (store === undefined) return { objects: [], leftovers: [] };
      const { manager } = this.current();
      // Before the objects: chunks whose object comes meanwhile are then no leftovers.
      const prefix = this.subject('C', '');
      const { state } = await manager.streams.info(this.streamName, { subjects_filter: `${prefix}>` });
      const chunks = Object.keys(state.subjects ?? {}).map((subject) => subject.slice(prefix.length));
      const listed = await within(store.list(), LIMITS.request_timeout_ms);
      const objects = listed.map(({ name, nuid }) => ({ name, chunks: nuid }));
      const named = new Set(objects.map((one) => one.chunks));
      return { objects, leftovers: chunks.filter((id) => !named.has(id)) };
    } catch {
      return undefined;
    }
  }

  /** Removes an object, if it has a name, and its chunks; returns whether NATS has done so. */
  async remove(name: string | undefined, chunks: string): Promise<boolean> {
    try {
      const { manager } = this.current();
      if (name !== undefined) {
        const token = Buffer.from(name).toString('base64').replaceAll('+', '-').replaceAll('/', '_');
        await manager.streams.purge(this.streamName, { filter: this.subject('M', token) });
      }
      await manager.streams.purge(this.streamName, { filter: this.subject('C', chunks) });
      return true;
    } catch {
      return false;
    }
  }

  private store(): Promise<ObjectStore> {
    return new this.link.library.Objm(this.current().client).open(this.link.source.name, false);
  }

  /** Returns the stream that holds the bucket; `undefined` when it does not exist. */
  private async stream(): Promise<StreamInfo | undefined> {
    const { JetStreamApiCodes, JetStreamApiError } = this.link.library;
    try {
      return await this.current().manager.streams.info(this.streamName);
    } catch (error) {
      if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound)
        return undefined;
      throw error;
    }
  }

  private current(): NonNullable<Link['current']> {
    const { current } = this.link;
    if (current === undefined) throw new MissingBytes(UNREACHABLE);
    return current;
  }

  private get streamName(): string {
    return `OBJ_${this.link.source.name}`;
  }

  /** Returns a subject of the bucket: `M` for objects, `C` for chunks. */
  private subject(kind: 'M' | 'C', token: string): string {
    return `$O.${this.link.source.name}.${kind}.${token}`;
  }
}

/** Waits a bounded time for an answer of NATS. */
export async function within<T>(answer: Promise<T>, mostMs: number = LIMITS.cluster_answer_ms): Promise<T> {
  const ended = new AbortController();
  const late = sleep(mostMs, undefined, { ref: false, signal: ended.signal }).then(
    () => Promise.reject(new MissingBytes(UNREACHABLE)),
    () => new Promise<never>(() => {}),
  );
  try {
    return await Promise.race([answer, late]);
  } catch {
    // A late answer may fail too.
    answer.catch(() => {});
    throw new MissingBytes(UNREACHABLE);
  } finally {
    ended.abort();
  }
}
