/**
 * Defines case files, and loads them from `cases/`.
 *
 * `case.schema.json` defines the shape, and every file is checked against it before anything runs, so later code may
 * rely on these types. Knows nothing of servers, and sends nothing.
 */
import { readdirSync, readFileSync } from 'node:fs';
import type { RequestFormat } from '@twin-ingest/testkit/codecs/format.ts';
import type { OtlpDescription } from '@twin-ingest/testkit/otlp/description.ts';
import { Ajv } from 'ajv';
import { inBothForms } from './otlp-case.ts';

/** The expectation for bytes that must be refused. */
export interface Refusal {
  readonly refused: true;
  /** Number of well-formed requests before them; their answers are 2xx. */
  readonly answered?: number;
}

export type Part =
  | string
  | { readonly repeat: string; readonly count: number }
  | { readonly base64: string }
  | { readonly hex: string; readonly count?: number };

export interface CaseRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | null>> | readonly (readonly [string, string])[];
  readonly json?: unknown;
  /** An OTLP request, in the media type of `as` or in both (`otlp-case.ts`). */
  readonly otlp?: OtlpDescription;
  readonly body?: string;
  readonly body_base64?: string;
  readonly body_hex?: string;
  readonly body_repeat?: { prefix?: string; unit: string; count: number; suffix?: string };
  readonly body_parts?: readonly Part[];
  /** The format of the body: its Content-Type, and the encoding of `json`. */
  readonly as?: RequestFormat;
  readonly encoding?: 'gzip' | 'zstd';
  readonly chunked?: number;
  readonly raw?: string;
  readonly raw_base64?: string;
  readonly raw_parts?: readonly Part[];
}

export type HeaderMap = Readonly<Record<string, string | readonly string[]>>;

export interface CaseAnswer {
  readonly status: number;
  readonly headers?: string | HeaderMap;
  readonly 'headers+'?: HeaderMap;
  readonly json?: unknown;
  /** An OTLP message, in the media type of the request. */
  readonly otlp?: unknown;
  readonly body?: string;
  readonly body_base64?: string;
  readonly body_hex?: string;
  readonly decoded?: unknown;
  readonly body_file?: string;
  readonly interim?: readonly number[];
  readonly closed?: boolean;
  /** Answers to the further requests of the same raw bytes, in order. */
  readonly pipelined?: readonly CaseAnswer[];
}

/** A request of `given`, `when` or `then_also`. */
export interface Step extends CaseRequest {
  /** Optional in `given` (2xx is then expected), always present in `then_also`, never in `when`. */
  readonly then?: CaseAnswer;
  readonly save?: Readonly<Record<string, string>>;
}

export interface StoredRows {
  readonly query: string;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly metadata?: readonly string[];
}

export interface Case {
  readonly name: string;
  readonly rule: string | readonly string[];
  readonly why?: string;
  readonly fresh?: boolean;
  readonly flags?: readonly string[];
  readonly given?: readonly Step[];
  readonly when: Step;
  readonly then: CaseAnswer | Refusal;
  readonly stored?: StoredRows;
  readonly then_also?: readonly Step[];
}

/** A case with one definite answer. */
export interface AnsweredCase extends Case {
  readonly then: CaseAnswer;
}

export function isAnswered(one: Case): one is AnsweredCase {
  return !('refused' in one.then);
}

export interface ServerNeeds {
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
}

export interface CaseFile {
  /** File name without the folder and `.json`. */
  readonly name: string;
  readonly about: string;
  readonly server?: ServerNeeds;
  /** Sent once to every server that the file starts. */
  readonly given?: readonly Step[];
  readonly cases: readonly Case[];
}

/** A case file that is not JSON, breaks the schema, or repeats a case name. */
export class CaseFileError extends Error {
  constructor(file: string, problems: readonly string[]) {
    super([`${file} is not a case file:`, ...problems.map((problem) => `  ${problem}`)].join('\n'));
    this.name = 'CaseFileError';
  }
}

const CASES = new URL('../cases/', import.meta.url);
const SCHEMA = new URL('../case.schema.json', import.meta.url);

/** Returns all case files, sorted by name. */
export function loadCaseFiles(folder: URL = CASES): CaseFile[] {
  const check = createChecker();
  return readdirSync(folder)
    .filter((entry) => entry.endsWith('.json'))
    .sort()
    .map((entry) => check(entry, readFileSync(new URL(entry, folder), 'utf8')));
}

/** Whether a case needs a server and a database that no other case has used. */
export function needsFreshServer(one: Case): boolean {
  return one.fresh === true || one.flags !== undefined;
}

export function rulesOfCase(one: Case): readonly string[] {
  return typeof one.rule === 'string' ? [one.rule] : one.rule;
}

/** Returns a function that parses and checks the text of a case file. */
export function createChecker(): (entry: string, text: string) => CaseFile {
  const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });
  const validate = ajv.compile(JSON.parse(readFileSync(SCHEMA, 'utf8')));
  return (entry, text) => {
    let content: unknown;
    try {
      content = JSON.parse(text);
    } catch (error) {
      throw new CaseFileError(entry, [String(error)]);
    }
    if (!validate(content)) {
      const problems = (validate.errors ?? []).map((one) => {
        const detail = 'additionalProperty' in one.params ? ` (${one.params.additionalProperty})` : '';
        return `${one.instancePath || '/'} ${one.message}${detail}`;
      });
      throw new CaseFileError(entry, problems);
    }
    const file = content as Omit<CaseFile, 'name'>;
    const cases = file.cases.flatMap(inBothForms);
    const names = cases.map((one) => one.name);
    const twice = names.filter((name, index) => names.indexOf(name) !== index);
    if (twice.length > 0)
      throw new CaseFileError(
        entry,
        twice.map((name) => `two cases are named ${name}`),
      );
    return { ...file, cases, name: entry.replace(/\.json$/, '') };
  };
}
