// @ts-nocheck It has the same structure as Hono, which is no dependency of the project.
// Writes in which listeners the monitor finds the class of contexts. argv: the folder of the monitor's source.
import { pathToFileURL } from 'node:url';

const source = pathToFileURL(`${process.argv[2]}/`);
const { findHonoContext } = await import(new URL('attach/hono-context.js', source).href);

/** An app, in a module of its own, as a library is. */
const createApp = () => {
  class Context {
    get req() {
      return {};
    }
    get executionCtx() {
      return {};
    }
  }
  return { app: { routes: [], fetch: (request, env) => new Context(request, env) }, prototype: Context.prototype };
};
/** CommonJS has the class in an object. */
const createCommonJsApp = () => {
  const exported = {};
  const { app, prototype } = createApp();
  exported.Context = prototype.constructor;
  return { app: { ...app, fetch: () => new exported.Context() }, prototype };
};

const createListener = (fetchCallback) => (incoming, outgoing) => fetchCallback(incoming, { incoming, outgoing });
const createMinified = (f) => (i, o) => f(i, { incoming: i, outgoing: o });
const createWrapper = (...listeners) =>
  function onRequest(request, response) {
    for (let i = 0; i < listeners.length; i += 1) listeners[i].call(this, request, response);
  };

/** Settings that refuse names that they don't know. */
const strict = new Proxy(
  {},
  {
    get() {
      throw new Error('no such setting');
    },
  },
);
const createCaller =
  (settings, app) =>
  (...args) =>
    app.fetch(...args, settings);

const library = createApp();
const commonJs = createCommonJsApp();
const other = () => {};
const direct = createListener(library.app.fetch);
const cases = {
  direct: [direct, library],
  minified: [createMinified(library.app.fetch), library],
  CommonJS: [createListener(commonJs.app.fetch), commonJs],
  'called by a function of the app': [createListener(createCaller(strict, library.app)), library],
  'behind sockets': [createWrapper(other, createWrapper(null, other, direct)), library],
  'behind too many': [createWrapper(createWrapper(createWrapper(createWrapper(direct)))), library],
  'another framework': [(request, response) => library.app.fetch(request, response), library],
  'another proxy': [(incoming, outgoing) => outgoing.end(), library],
};
const found = Object.entries(cases).map(([name, [listener, { prototype }]]) => [
  name,
  findHonoContext(listener) === prototype,
]);
process.getBuiltinModule = () => {
  throw new Error('no inspector');
};
found.push(['without an inspector', findHonoContext(direct) !== undefined]);
process.stdout.write(JSON.stringify(Object.fromEntries(found)));
