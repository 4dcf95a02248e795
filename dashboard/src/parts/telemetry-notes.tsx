/**
 * Explains missing data of an agent, where the server knows the reason: ignored telemetry, an exporter that speaks
 * gRPC.
 */
import { health } from '../figures.ts';
import { GRPC_REMEDY, missingOf } from '../telemetry.ts';

export function TelemetryNotes() {
  const telemetry = health.value?.telemetry;
  if (telemetry === undefined) return null;
  const sentences = missingOf(telemetry);
  const speaksGrpc = telemetry.grpc_connections > 0;
  if (sentences.length === 0 && !speaksGrpc) return null;
  return (
    <ul class="notes" aria-label="Telemetry that is not shown" title="Since the server started">
      {speaksGrpc && (
        <li>
          An exporter speaks gRPC, which the server does not. Set <code>{GRPC_REMEDY}</code>
        </li>
      )}
      {sentences.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}
