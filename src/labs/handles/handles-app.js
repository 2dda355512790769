import express from 'express';
import { answerErrors } from '../../http/problem.js';
import { pickId } from './documents.js';

/**
 * Make the lab's Express app: `GET /db` is a random one of the documents. It does nothing that the variants do not
 * share but the lookup.
 *
 * @param {(id: number) => Promise<import('./documents.js').Numbered | null>} lookUp
 * @param {import('pino').Logger} log
 */
export function createApp(lookUp, log) {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.get('/db', async (req, res) => {
    const id = pickId();
    const document = await lookUp(id);
    // A load tool can't know which document it has to get, so every answer is checked here.
    if (document?._id !== id) throw new Error(`asked for document ${id} and got ${document?._id}`);
    res.json(document);
  });
  app.use(answerErrors(log));
  return app;
}
