import express from 'express';
import { clientError } from './problem.js';

/** Reads a body of JSON, and refuses any other. @param {string} limit for example `1kb` @returns {import('express').RequestHandler[]} */
export function readJsonBody(limit) {
  return [requireJson, express.json({ limit })];
}

/**
 * @param {import('express').Request} req
 * @param {import('express').Response} res
 * @param {import('express').NextFunction} next
 */
function requireJson(req, res, next) {
  if (!req.is('application/json')) throw clientError(415, 'Content-Type must be application/json');
  next();
}
