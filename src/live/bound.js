/**
 * Let so many requests be under way at once; the next is refused. A request is under way until it is answered or its
 * client has gone.
 *
 * @param {ReturnType<typeof import('../pool/cap.js').createCap>} cap
 * @returns {import('express').RequestHandler}
 */
export function createBound(cap) {
  return (req, res, next) => {
    cap.run(() => new Promise((resolve) => {
      res.once('close', () => resolve(undefined));
      next();
    })).catch(next);
  };
}
