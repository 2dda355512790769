/** @param {import('pino').Logger} log @returns {import('express').RequestHandler} */
export function logRequests(log) {
  return (req, res, next) => {
    if (!log.isLevelEnabled('debug')) return next();
    const arrivedAt = performance.now();
    res.once('close', () => {
      const ms = Math.round(performance.now() - arrivedAt);
      log.debug({ method: req.method, path: req.path, status: res.statusCode, ms, aborted: !res.writableFinished },
        'request');
    });
    next();
  };
}
