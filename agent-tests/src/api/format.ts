/** Describes how the API of one vendor reads a request and writes an answer. */
import type { Served } from './script.ts';

export interface ApiRequest {
  readonly model: string;
  readonly hasTools: boolean;
  readonly isStream: boolean;
}

export interface ApiFormat {
  /** Reads a request; `null` for a path that generates nothing, to which the server answers `{}`. */
  read(path: string, body: Readonly<Record<string, unknown>>): ApiRequest | null;
  answer(served: Served, request: ApiRequest): unknown;
  frames(served: Served, request: ApiRequest): readonly Readonly<Record<string, unknown>>[];
}

export function isFilled(list: unknown): boolean {
  return Array.isArray(list) && list.length > 0;
}
