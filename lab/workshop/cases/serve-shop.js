// Serves the routes of a case's file, and tells its parent where.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import express from 'express';
import { listen } from '../../../src/http/listen.js';
import { onParentGone } from '../../../src/process/parent.js';
import { readSettings } from '../../../src/settings.js';

onParentGone(() => process.exit());
const { routes } = await import(pathToFileURL(path.resolve(process.argv[2])).href);
const app = express();
for (const [route, answer] of Object.entries(routes)) {
  app.get(route, async (req, res) => {
    res.json(await answer(req.query));
  });
}
const { url } = await listen(app, readSettings());
process.send?.({ url });
