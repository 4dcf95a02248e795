/** Wraps the OTLP exporters of OpenTelemetry for Node, and creates records with its SDK. */
import type { Attributes } from '@opentelemetry/api';
import { OTLPLogExporter as JsonLogs } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPLogExporter as ProtobufLogs } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPMetricExporter as ProtobufMetrics } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter as JsonTraces } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufTraces } from '@opentelemetry/exporter-trace-otlp-proto';
import { CompressionAlgorithm } from '@opentelemetry/otlp-exporter-base';
import {
  InMemoryLogRecordExporter,
  LoggerProvider,
  type ReadableLogRecord,
  SimpleLogRecordProcessor,
} from '@opentelemetry/sdk-logs';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';

export const LOG_EXPORTERS = { json: JsonLogs, protobuf: ProtobufLogs } as const;
export const TRACE_EXPORTERS = { json: JsonTraces, protobuf: ProtobufTraces } as const;
export const COMPRESSIONS = Object.values(CompressionAlgorithm);
export { ProtobufMetrics };

interface Exporter<Records> {
  export(records: Records, done: (result: ExportResult) => void): void;
  shutdown(): Promise<void>;
}

/** `code` is 0 when the exporter considers the records delivered. */
export interface ExportResult {
  readonly code: number;
  readonly error?: Error;
}

/** Resolves once the exporter has delivered the records, or has given up. */
export async function exported<Records>(
  exporter: Exporter<Records>,
  records: Records,
): Promise<ExportResult> {
  const result = await new Promise<ExportResult>((resolve) => exporter.export(records, resolve));
  await exporter.shutdown();
  return result;
}

/** Returns a log record of this scope for each set of attributes. */
export function logRecords(scope: string, logs: readonly Attributes[]): ReadableLogRecord[] {
  const exporter = new InMemoryLogRecordExporter();
  const provider = new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter })] });
  const logger = provider.getLogger(scope);
  for (const attributes of logs) logger.emit({ attributes, body: String(attributes['event.name']) });
  return exporter.getFinishedLogRecords();
}

/** Returns a span of this scope and name for each set of attributes. */
export function spansOf(scope: string, name: string, spans: readonly Attributes[]): ReadableSpan[] {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const tracer = provider.getTracer(scope);
  for (const attributes of spans) tracer.startSpan(name, { attributes }).end();
  return exporter.getFinishedSpans();
}

/** Returns a counter, a gauge and a histogram of this scope, each with one data point. */
export async function metricsOf(scope: string): Promise<ResourceMetrics> {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const provider = new MeterProvider({ readers: [reader] });
  const meter = provider.getMeter(scope);
  meter.createCounter('tokens').add(3);
  meter.createGauge('load').record(0.5);
  meter.createHistogram('duration').record(20);
  await provider.forceFlush();
  const [metrics] = exporter.getMetrics();
  await provider.shutdown();
  return metrics!;
}
