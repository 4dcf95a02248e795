/**
 * Builds the metadata that coding agents send, by kind of event: tool calls and results, file edits, messages.
 *
 * A shape has one place for text of any length, which sets the size of the event.
 */

import type { Random } from '../random.ts';
import type { Kind } from './kinds.ts';
import { filePath } from './text.ts';

/** An event without ids and size: its fields, and a function from the text to its metadata. */
export interface Shape {
  readonly fields: Readonly<Record<string, unknown>>;
  metadata(text: string): unknown;
}

const CLAUDE_TOOLS = ['Bash', 'Bash', 'Bash', 'Read', 'Read', 'Edit', 'Edit', 'Glob', 'Grep', 'Write'];
const CLAUDE_MODELS = ['claude-opus-4-6', 'claude-opus-4-6', 'claude-haiku-4-5', 'claude-sonnet-4-5'];
const HOOKS = ['PreToolUse', 'PostToolUse', 'SessionStart'];

export function shapeOf(kind: Kind, random: Random): Shape {
  switch (kind.agent_type) {
    case 'claude_code':
      return claudeCode(kind.event_type, random);
    case 'codex':
      return codex(kind.event_type, random);
    case 'swe_agent':
      return sweAgent(kind.event_type, random);
    case 'openhands':
      return openHands(kind.event_type, random);
  }
}

function claudeCode(type: string, random: Random): Shape {
  const head = { parentUuid: hex(random, 8), version: '2.1.39' };
  const place = { project: 'app', branch: 'main' };
  switch (type) {
    case 'tool_use': {
      const tool = random.pick(CLAUDE_TOOLS);
      const call = random.below(2) === 0;
      const use = { ...head, phase: call ? 'call' : 'result', tool_use_id: toolUse(random) };
      if (!call) {
        const result = { status: random.below(30) === 0 ? 'error' : 'success' };
        const fields = { tool_name: tool, ...result, duration_ms: random.below(60_000), ...place };
        return { fields, metadata: (text) => ({ ...use, content: text }) };
      }
      return {
        fields: { tool_name: tool, ...place },
        metadata: (text) => ({ ...use, input: toolInput(tool, text, random) }),
      };
    }
    case 'llm_response': {
      const tokens = { tokens_in: random.below(9_000), tokens_out: random.below(2_000) };
      const fields = {
        model: random.pick(CLAUDE_MODELS),
        ...tokens,
        cache_read_tokens: random.below(150_000),
      };
      return {
        fields,
        metadata: (text) => ({
          ...head,
          message_id: `msg_${hex(random, 12)}`,
          stop_reason: null,
          content: text,
        }),
      };
    }
    case 'file_change': {
      const snapshot = { messageId: hex(random, 8), isSnapshotUpdate: false };
      return {
        fields: {},
        metadata: (text) => ({
          type: 'file-history-snapshot',
          ...snapshot,
          snapshot: { file_path: filePath(random), backup: text },
        }),
      };
    }
    case 'user_prompt':
      return { fields: place, metadata: (text) => ({ ...head, content: text }) };
    default: {
      const data = { type: 'hook_progress', hookEvent: random.pick(HOOKS) };
      return {
        fields: place,
        metadata: (text) => ({
          ...head,
          kind: 'progress',
          tool_use_id: toolUse(random),
          data: { ...data, command: text },
        }),
      };
    }
  }
}

function toolInput(tool: string, text: string, random: Random): unknown {
  switch (tool) {
    case 'Bash':
      return { command: text, description: 'Run the tests' };
    case 'Edit':
      return {
        file_path: filePath(random),
        old_string: 'return null;',
        new_string: text,
        replace_all: false,
      };
    case 'Write':
      return { file_path: filePath(random), content: text };
    case 'Grep':
    case 'Glob':
      return { pattern: text, path: '/home/user/projects/app' };
    default:
      return { file_path: filePath(random), note: text };
  }
}

function codex(type: string, random: Random): Shape {
  const fields = { model: 'gpt-5-codex' };
  switch (type) {
    case 'tool_use':
      return {
        fields: { ...fields, tool_name: 'exec_command' },
        metadata: (text) => ({
          type: 'exec_command_end',
          call_id: `call_${hex(random, 8)}`,
          stdout: text,
          stderr: '',
          exit_code: 0,
        }),
      };
    case 'llm_response': {
      const tokens = { tokens_in: random.below(90_000), tokens_out: random.below(3_000) };
      return {
        fields: { ...fields, ...tokens },
        metadata: (text) => ({
          type: 'token_count',
          reasoning_output_tokens: random.below(900),
          note: text,
        }),
      };
    }
    case 'file_change':
      return { fields, metadata: (text) => ({ type: 'turn_diff', unified_diff: text }) };
    default:
      return { fields, metadata: (text) => ({ type: 'agent_message_delta', delta: text }) };
  }
}

function sweAgent(type: string, random: Random): Shape {
  switch (type) {
    case 'tool_use':
      return {
        fields: { tool_name: random.pick(['edit', 'python', 'submit', 'open']) },
        metadata: (text) => ({
          step: random.below(60),
          action: 'edit 1:20',
          observation: text,
          state: { open_file: filePath(random) },
        }),
      };
    case 'llm_response':
      return { fields: {}, metadata: (text) => ({ step: random.below(60), thought: text }) };
    case 'session_start':
    case 'session_end':
      return { fields: {}, metadata: (text) => ({ environment: text }) };
    default:
      return { fields: {}, metadata: (text) => ({ role: 'system', agent: 'main', content: text }) };
  }
}

function openHands(type: string, random: Random): Shape {
  const step = { id: random.below(400), source: 'agent' };
  if (type !== 'tool_use') return { fields: {}, metadata: (text) => ({ ...step, message: text }) };
  const call = { function_name: 'execute_bash', tool_call_id: toolUse(random) };
  const fields = {
    tool_name: random.pick(['run', 'edit', 'read', 'run_ipython']),
    duration_ms: random.below(20_000),
  };
  return {
    fields,
    metadata: (text) => ({
      ...step,
      observation: 'run',
      tool_call_metadata: call,
      content: text,
      extras: { hidden: false },
    }),
  };
}

function toolUse(random: Random): string {
  return `toolu_${hex(random, 12)}`;
}

function hex(random: Random, bytes: number): string {
  let text = '';
  for (let i = 0; i < bytes; i++) text += random.below(256).toString(16).padStart(2, '0');
  return text;
}
