export class RequestDeadlineError extends Error {
  name = 'RequestDeadlineError';
}

export class ClientDisconnectedError extends Error {
  name = 'ClientDisconnectedError';
}

/**
 * Gives each request a signal, `res.locals.signal`. It fires when the deadline passes or the client disconnects.
 *
 * @param {number} timeoutMs from the request's arrival
 * @returns {import('express').RequestHandler}
 */
export function createRequestDeadline(timeoutMs) {
  return (req, res, next) => {
    const controller = new AbortController();
    const timer = setTimeout(() => {
      controller.abort(new RequestDeadlineError(`aborted after ${timeoutMs} ms`));
    }, timeoutMs);
    res.once('close', () => {
      clearTimeout(timer);
      if (!res.writableFinished) controller.abort(new ClientDisconnectedError('the client disconnected'));
    });
    res.locals.signal = controller.signal;
    next();
  };
}
