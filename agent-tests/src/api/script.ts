/**
 * What the model says in a test: a list of steps for each conversation, which requests take in turn.
 *
 * A request belongs to the first conversation whose marker its body holds; the marker stands in the prompt. A request
 * of no conversation, or without tools, is a side request (a title, a summary) and gets a short text.
 */

/** A tool call in the form of one agent. */
export interface ToolCall {
  readonly name: string;
  /** Of OpenAI. */
  readonly namespace?: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A call that depends on the request, for example on the id that the agent gave to a subagent. */
export type CallOf = (body: string) => ToolCall;

/** How a call ends: `denied` is one that the user or a rule refuses. */
export type Outcome = 'success' | 'error' | 'denied';

/** `fail` is an HTTP status. `hold` runs before the answer is sent. */
export type Step = { readonly hold?: () => Promise<void> } & (
  | { readonly kind: 'call'; readonly call: ToolCall | CallOf; readonly outcome: Outcome }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'fail'; readonly status: number }
);

export interface Conversation {
  readonly marker: string;
  readonly steps: readonly Step[];
}

/** Tokens of one answer. `input` leaves out what was read from or written to the cache; `thoughts` are part of `output`. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly thoughts: number;
}

/** One answer that the model API gave. */
export interface Served {
  /** Of the conversation, or `null` for a side request. */
  readonly marker: string | null;
  readonly model: string;
  readonly step: Step;
  /** `null` where the request failed. */
  readonly usage: Usage | null;
  readonly call: ToolCall | null;
  readonly callId: string | null;
}

const SIDE: Step = { kind: 'text', text: 'A title' };
const END: Step = { kind: 'text', text: 'Nothing more.' };

export class Script {
  readonly served: Served[] = [];
  readonly #conversations: readonly Conversation[];
  readonly #next = new Map<string, number>();

  constructor(conversations: readonly Conversation[]) {
    this.#conversations = conversations;
  }

  /** The answer to a request, with numbers that no other answer has. */
  take(body: string, model: string, hasTools: boolean): Served {
    const marker = hasTools
      ? (this.#conversations.find((one) => body.includes(one.marker))?.marker ?? null)
      : null;
    const step = marker === null ? SIDE : this.#stepOf(marker);
    const n = this.served.length + 1;
    const usage = {
      input: 1000 + 7 * n,
      output: 100 + n,
      cacheRead: 500 + 3 * n,
      cacheWrite: 20 + n,
      thoughts: 5 + n,
    };
    const served = {
      marker,
      model,
      step,
      usage: step.kind === 'fail' ? null : usage,
      call: step.kind === 'call' ? (typeof step.call === 'function' ? step.call(body) : step.call) : null,
      callId: step.kind === 'call' ? `call_${n}_${marker}` : null,
    };
    this.served.push(served);
    return served;
  }

  /** Steps that no request has taken. */
  left(): number {
    return this.#conversations.reduce(
      (sum, { marker, steps }) => sum + Math.max(0, steps.length - (this.#next.get(marker) ?? 0)),
      0,
    );
  }

  #stepOf(marker: string): Step {
    const at = this.#next.get(marker) ?? 0;
    this.#next.set(marker, at + 1);
    return this.#conversations.find((one) => one.marker === marker)!.steps[at] ?? END;
  }
}
