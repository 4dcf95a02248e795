/**
 * DATA: sizes and kinds of coding agents' events, as measured on 15,799 real events of 42 sessions.
 *
 * Each kind of event has a count, the share of events with non-ASCII text, and the quantiles of the size. The generator
 * follows these figures; the file contains no text of an event.
 */

export type AgentType = 'claude_code' | 'codex' | 'swe_agent' | 'openhands';

export interface Kind {
  readonly agent_type: AgentType;
  readonly event_type: string;
  readonly count: number;
  readonly non_ascii: number;
  /** Bytes of the event's JSON at each of QUANTILES. */
  readonly sizes: readonly number[];
}

export const QUANTILES: readonly number[] = [0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1];

/** The kinds of events, the most frequent first. */
export const KINDS: readonly Kind[] = [
  kind('claude_code', 'response', 7027, 286, [227, 523, 558, 565, 582, 663, 2204, 4822, 20955, 82242]),
  kind('codex', 'response', 3797, 59, [240, 261, 262, 265, 269, 440, 484, 904, 1600, 2196]),
  kind('claude_code', 'tool_use', 2272, 475, [460, 521, 565, 621, 1198, 3346, 6648, 23908, 38794, 81597]),
  kind('claude_code', 'llm_response', 1562, 72, [475, 531, 537, 539, 576, 635, 744, 3419, 17074, 28822]),
  kind('openhands', 'tool_use', 284, 1, [253, 1403, 1762, 2021, 2535, 3816, 7981, 23669, 24002, 24002]),
  kind('swe_agent', 'llm_response', 232, 2, [205, 281, 397, 627, 914, 1242, 1541, 2375, 3436, 3436]),
  kind('swe_agent', 'tool_use', 232, 12, [293, 397, 488, 943, 1935, 4263, 5460, 8780, 25305, 25305]),
  kind('claude_code', 'file_change', 115, 0, [387, 418, 801, 1502, 2437, 3128, 3520, 3812, 3966, 3966]),
  kind('codex', 'tool_use', 63, 1, [405, 407, 434, 502, 1502, 5596, 5663, 10836, 10836, 10836]),
  kind('claude_code', 'user_prompt', 45, 12, [372, 386, 423, 692, 1390, 12787, 15224, 16850, 16850, 16850]),
  kind('codex', 'llm_response', 40, 4, [338, 418, 419, 420, 424, 1428, 2238, 2249, 2249, 2249]),
  kind('swe_agent', 'session_start', 20, 0, [130, 131, 139, 168, 240, 260, 260, 260, 260, 260]),
  kind('swe_agent', 'response', 20, 0, [301, 1868, 3797, 5172, 6560, 6685, 8894, 8894, 8894, 8894]),
  kind('swe_agent', 'user_prompt', 20, 1, [2453, 2656, 3080, 3756, 4046, 4869, 7816, 7816, 7816, 7816]),
  kind('swe_agent', 'session_end', 20, 0, [287, 291, 339, 739, 1128, 14838, 17391, 17391, 17391, 17391]),
  kind('codex', 'file_change', 16, 0, [420, 1174, 1174, 1174, 1174, 1174, 1185, 1185, 1185, 1185]),
  kind('openhands', 'user_prompt', 9, 1, [316, 316, 366, 497, 6698, 12008, 12008, 12008, 12008, 12008]),
  kind('claude_code', 'session_start', 8, 0, [516, 516, 516, 525, 525, 525, 525, 525, 525, 525]),
  kind('openhands', 'session_end', 7, 0, [717, 717, 954, 1422, 2712, 3859, 3859, 3859, 3859, 3859]),
  kind('openhands', 'llm_response', 5, 0, [325, 325, 883, 915, 1057, 2780, 2780, 2780, 2780, 2780]),
  kind('codex', 'session_start', 2, 0, [451, 451, 451, 451, 451, 451, 451, 451, 451, 451]),
  kind('openhands', 'error', 2, 0, [556, 556, 556, 556, 556, 556, 556, 556, 556, 556]),
  kind('codex', 'session_end', 1, 0, [248, 248, 248, 248, 248, 248, 248, 248, 248, 248]),
];

/** Each session's share of the events of its agent. The last session takes the rest. */
export const SESSION_SHARES: Readonly<Record<AgentType, readonly number[]>> = {
  claude_code: [0.19, 0.18, 0.17, 0.17, 0.15, 0.13],
  codex: [0.58],
  swe_agent: Array.from({ length: 20 }, () => 0.047),
  openhands: Array.from({ length: 11 }, () => 0.08),
};

function kind(
  agent_type: AgentType,
  event_type: string,
  count: number,
  non_ascii: number,
  sizes: readonly number[],
): Kind {
  return { agent_type, event_type, count, non_ascii, sizes };
}

/** Returns the size at rank `u` in [0, 1], interpolated between the quantiles on a log scale, in bytes. */
export function sizeAt(sizes: readonly number[], u: number): number {
  for (let i = 1; i < QUANTILES.length; i++) {
    const high = QUANTILES[i]!;
    if (u > high) continue;
    const low = QUANTILES[i - 1]!;
    const part = (u - low) / (high - low);
    return Math.round(sizes[i - 1]! * (sizes[i]! / sizes[i - 1]!) ** part);
  }
  return sizes.at(-1)!;
}
