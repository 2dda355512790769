// @ts-nocheck The libraries are not dependencies of the project.
// An app with OpenTelemetry's SDK and one connection: /fast waits behind /slow. Prints what the exporters got.
import { once } from 'node:events';
import { metrics, trace } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import express from 'express';
import { MongoClient } from 'mongodb';

const spans = new InMemorySpanExporter();
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }).register();
const measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const meters = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter: measured })] });
metrics.setGlobalMeterProvider(meters);

const client = new MongoClient(process.env.MONGO_URL, { maxPoolSize: 1, minPoolSize: 1, appName: 'shop' });
const orders = client.db('otel').collection('orders');
await orders.updateOne({ _id: 1 }, { $set: { total: 1 } }, { upsert: true });

const app = express();
app.use((req, res, next) => {
  trace.getTracer('app').startActiveSpan(`${req.method} ${req.path}`, (span) => {
    res.once('finish', () => span.end());
    next();
  });
});
app.get('/slow', async (req, res) => res.json(await orders.findOne({ $where: 'sleep(300) || true' })));
app.get('/fast', async (req, res) => res.json(await orders.countDocuments()));
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
const get = async (path) => (await fetch(`http://127.0.0.1:${server.address().port}${path}`)).json();

const isHeld = once(client, 'connectionCheckedOut');
const slow = get('/slow');
await isHeld;
const fast = get('/fast');
await once(client, 'connectionCheckOutStarted');
await meters.forceFlush();
await Promise.all([slow, fast]);
await meters.forceFlush();
// The monitor has handled all events when the client is closed.
await client.close();
server.close();
server.closeAllConnections();

const toMs = ([seconds, nanos]) => seconds * 1e3 + nanos / 1e6;
const values = (records) =>
  Object.fromEntries(
    records.scopeMetrics[0].metrics.map(({ descriptor, dataPoints }) => [
      `${descriptor.name} ${descriptor.unit}`,
      dataPoints.map(({ attributes, value }) => [...Object.values(attributes), value.count ?? value]),
    ]),
  );
const [held, after] = measured.getMetrics();
process.stdout.write(
  JSON.stringify({
    spans: spans.getFinishedSpans().map((span) => ({
      name: span.name,
      id: span.spanContext().spanId,
      trace: span.spanContext().traceId,
      parent: span.parentSpanContext?.spanId,
      startMs: toMs(span.startTime),
      endMs: toMs(span.endTime),
      attributes: span.attributes,
    })),
    held: values(held),
    after: values(after),
  }),
);
