import express from 'express';
import { createTokenCheck, namesLoopback } from 'mongodb-pool-page';
import { clientError, sendProblem } from './problem.js';

/**
 * Lets a request through only from the app's own page. Another site's page can make a browser send requests to
 * loopback, or point its own name there (DNS rebinding). But it can't forge Origin and Sec-Fetch-Site, and its Host
 * differs.
 *
 * @param {object} options
 * @param {boolean} options.enabled
 * @param {boolean} options.anyHost whether clients may use names other than loopback's
 * @returns {import('express').RequestHandler}
 */
export function requireSameOrigin({ enabled, anyHost }) {
  return (req, res, next) => {
    // On loopback, they are only disabled by CONTROLS=off.
    const reason = anyHost ? 'the app does not listen on loopback' : 'CONTROLS is off';
    if (!enabled) return refuse(res, `${reason}; set CONTROLS=on to allow them`);
    const origin = req.get('Origin');
    const host = req.get('Host') ?? '';
    const site = req.get('Sec-Fetch-Site') ?? 'same-origin';
    if (origin !== `${req.protocol}://${host}` || site !== 'same-origin') {
      return refuse(res, "only this app's own page may use them");
    }
    if (!anyHost && !namesLoopback(host)) return refuse(res, 'only a page on loopback may use them');
    next();
  };
}

/** @param {import('express').Response} res @param {string} why */
function refuse(res, why) {
  sendProblem(res, { status: 403, title: 'The controls are disabled', detail: why });
}

/**
 * @param {string | undefined} token undefined lets every request through
 * @returns {import('express').RequestHandler}
 */
export function requireToken(token) {
  if (token === undefined) return (req, res, next) => next();
  const hasToken = createTokenCheck(token);
  return (req, res, next) => {
    if (hasToken(req.get('Authorization'))) return next();
    res.set('WWW-Authenticate', 'Bearer');
    sendProblem(res, {
      status: 401,
      title: 'The controls need a token',
      detail: 'use the token that the app was started with',
    });
  };
}

/**
 * Reads a JSON body, and refuses any other.
 * @param {string} limit for example `1kb`
 * @returns {import('express').RequestHandler[]}
 */
export function readJsonBody(limit) {
  return [
    (req, res, next) => {
      if (!req.is('application/json')) throw clientError(415, 'Content-Type must be application/json');
      next();
    },
    express.json({ limit }),
  ];
}
