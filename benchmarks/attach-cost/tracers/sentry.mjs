// @ts-nocheck The library is not a dependency of the project.
// Sentry with a trace of each request, and a transport that drops them.
import * as Sentry from '@sentry/node';

Sentry.init({
  dsn: 'http://public@127.0.0.1/1',
  tracesSampleRate: 1,
  transport: () => ({ send: async () => ({ statusCode: 200 }), flush: async () => true }),
});
