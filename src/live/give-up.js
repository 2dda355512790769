/** A request took longer than a request may. */
export class RequestTimeoutError extends Error {
  name = 'RequestTimeoutError';
}

/** Nobody waits for the answer any more. */
export class ClientGoneError extends Error {
  name = 'ClientGoneError';
}

/**
 * Give each request a signal, `res.locals.signal`, that says when to give it up: when its deadline has come, or when
 * its client has gone away.
 *
 * @param {number} timeoutMs from its arrival
 * @returns {import('express').RequestHandler}
 */
export function createGiveUp(timeoutMs) {
  return (req, res, next) => {
    const controller = new AbortController();
    const timer = setTimeout(() => {
      controller.abort(new RequestTimeoutError(`given up after ${timeoutMs} ms`));
    }, timeoutMs);
    res.once('close', () => {
      clearTimeout(timer);
      if (!res.writableFinished) controller.abort(new ClientGoneError('the client went away'));
    });
    res.locals.signal = controller.signal;
    next();
  };
}
