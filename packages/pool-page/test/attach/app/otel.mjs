// @ts-nocheck The libraries are not dependencies of the project.
// OpenTelemetry as its documentation sets it up, with the loader that sees ES modules.
import { register } from 'node:module';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { MongoDBInstrumentation } from '@opentelemetry/instrumentation-mongodb';
import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';

register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);

let spans = 0;
Object.assign(globalThis, { countSpans: () => spans });
const exporter = {
  /** @param {unknown[]} ended @param {(result: { code: number }) => void} done */
  export(ended, done) {
    spans += ended.length;
    done({ code: 0 });
  },
  shutdown: async () => {},
};
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
registerInstrumentations({ instrumentations: [new MongoDBInstrumentation({ requireParentSpan: false })] });
