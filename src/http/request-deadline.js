/** A request took longer than a request may. */
export class RequestDeadlineError extends Error {
  name = 'RequestDeadlineError';
}

/** Nobody waits for the answer any more. */
export class ClientDisconnectedError extends Error {
  name = 'ClientDisconnectedError';
}

/**
 * Give each request a signal, `res.locals.signal`, that says when to give it up: when its deadline has come, or when
 * its client has gone away.
 *
 * @param {number} timeoutMs from its arrival
 * @returns {import('express').RequestHandler}
 */
export function createRequestDeadline(timeoutMs) {
  return (req, res, next) => {
    const controller = new AbortController();
    const timer = setTimeout(() => {
      controller.abort(new RequestDeadlineError(`given up after ${timeoutMs} ms`));
    }, timeoutMs);
    res.once('close', () => {
      clearTimeout(timer);
      if (!res.writableFinished) controller.abort(new ClientDisconnectedError('the client went away'));
    });
    res.locals.signal = controller.signal;
    next();
  };
}
