/** The mappings of transcripts, by the names of the agents (contract/mapping.md). */
import { compileAgents, type TranscriptMapping } from '@twin-ingest/mapping/mapping.ts';
import AGENTS from '../../../contract/agents.json' with { type: 'json' };

export type { TranscriptMapping } from '@twin-ingest/mapping/mapping.ts';

export const MAPPINGS: Readonly<Record<string, TranscriptMapping>> = Object.fromEntries(
  compileAgents(AGENTS).flatMap(({ name, transcripts }) =>
    transcripts === undefined ? [] : [[name, transcripts]],
  ),
);
