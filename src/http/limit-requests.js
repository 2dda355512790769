/**
 * Let so many requests be under way at once; the next is refused. A request is under way until it is answered or its
 * client has gone.
 *
 * @param {ReturnType<typeof import('./concurrency-limit.js').createConcurrencyLimit>} cap
 * @returns {import('express').RequestHandler}
 */
export function limitRequests(cap) {
  return (req, res, next) => {
    cap.run(() => new Promise((resolve) => {
      res.once('close', () => resolve(undefined));
      next();
    })).catch(next);
  };
}
