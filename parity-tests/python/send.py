"""Sends two logs and a span with the OTLP exporters of OpenTelemetry for Python.

The variables OTEL_EXPORTER_OTLP_* say where to and how; the first argument is the session.
"""

import sys

from opentelemetry._logs import LogRecord
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

session = sys.argv[1]

logs = LoggerProvider()
logs.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter()))
known = {"event.name": "user_prompt", "session.id": session, "tags": ["a", "ü"], "ratio": 0.5}
logs.get_logger("com.anthropic.claude_code").emit(LogRecord(attributes=known, body={"length": 3}))
logs.get_logger("another-program").emit(LogRecord(body="a line"))

spans = TracerProvider()
spans.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
chat = {
    "gen_ai.operation.name": "chat",
    "gen_ai.conversation.id": session,
    "gen_ai.request.model": "a-model",
    "gen_ai.usage.input_tokens": 9,
    "gen_ai.usage.output_tokens": 3,
}
spans.get_tracer("an-application").start_span("chat a-model", attributes=chat).end()

logs.shutdown()
spans.shutdown()
