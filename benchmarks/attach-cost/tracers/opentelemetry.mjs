// @ts-nocheck The libraries are no dependencies of the project.
// OpenTelemetry with everything that it instruments by default, and an exporter that drops its spans.
import { register } from 'node:module';

register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);
const { getNodeAutoInstrumentations } = await import('@opentelemetry/auto-instrumentations-node');
const { NodeSDK } = await import('@opentelemetry/sdk-node');
const { BatchSpanProcessor } = await import('@opentelemetry/sdk-trace-base');

const exporter = {
  export: (_, done) => done({ code: 0 }),
  shutdown: async () => {},
};
new NodeSDK({
  instrumentations: [getNodeAutoInstrumentations()],
  spanProcessors: [new BatchSpanProcessor(exporter)],
  metricReaders: [],
  logRecordProcessors: [],
}).start();
