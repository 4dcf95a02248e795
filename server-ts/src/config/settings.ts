/** Holds the checked configuration. Names of values contain their units. */

import type { CommandName, Durability, LogLevel } from '../contract/flags.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Format } from '../formats/index.ts';
import type { Prices } from '../prices.ts';
import type { Redaction } from '../redact/index.ts';
import type { Zone } from '../zones.ts';
import type { Receiver } from './receiver.ts';
import type { StreamSource } from './stream-source.ts';

/** The checked configuration; names contain the units. */
export interface Config {
  /** An IP address. */
  readonly host: string;
  readonly port: number;
  readonly db: string;
  readonly durability: Durability;
  readonly maxBodyBytes: number;
  readonly maxBatchEvents: number;
  readonly maxMetadataBytes: number;
  readonly queueEvents: number;
  readonly queueBytes: number;
  readonly sessionTimeoutMinutes: number;
  readonly waitingStaleHours: number;
  readonly maxStreamClients: number;
  readonly heartbeatMs: number;
  readonly statsIntervalMs: number;
  /** Text of `--token-file`. */
  readonly token: string | undefined;
  /** The file of `--token-file` that must be created first (rule SEC-08). */
  readonly newToken: string | undefined;
  /** Lower case, like `allowOrigins`. */
  readonly allowHosts: readonly string[];
  readonly allowOrigins: readonly string[];
  readonly socket: string | undefined;
  readonly stdin: Format | undefined;
  readonly maxAttachmentBytes: number;
  readonly attachmentsBytes: number;
  readonly retainDays: number;
  readonly retainBytes: number;
  readonly discardLargeMetadata: boolean;
  /** The built-in prices and those of `--prices`; `undefined` with `--no-prices`. */
  readonly prices: Prices | undefined;
  /** Content of `--redact`. */
  readonly redaction: Redaction | undefined;
  /** The receiver that `--webhook` and `--webhook-secret-file` name. */
  readonly webhook: Endpoint | undefined;
  readonly webhookFinishMinutes: number;
  /** `--budget-usd-day` in cents. */
  readonly budgetCents: number | undefined;
  /** In which days begin at midnight. */
  readonly timeZone: Zone;
  /** The name of the machine's zone, when no zone has it. */
  readonly unknownZone: string | undefined;
  readonly forward: Receiver | undefined;
  /** Text of `--forward-token-file`. */
  readonly forwardToken: string | undefined;
  /** The stream of `--store jetstream`. */
  readonly cluster: StreamSource | undefined;
  readonly bench: boolean;
  readonly exitWithStdin: boolean;
  readonly parentPid: number;
  readonly idleExitS: number;
  readonly readyFile: string | undefined;
  readonly commandName: string;
  readonly logLevel: LogLevel;
}

/** A command of `config.json`, and what it works on. */
export interface Maintenance {
  /** Its name. */
  readonly command: CommandName;
  /** Its argument; empty for a command without one. */
  readonly file: string;
  readonly db: string;
}
