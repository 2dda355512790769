import { pino } from 'pino';
import pretty from 'pino-pretty';

/**
 * Logs to stdout: readable lines on a terminal, JSON elsewhere.
 * @param {string} level
 * @returns {import('pino').Logger}
 */
export function createLogger(level) {
  if (!process.stdout.isTTY) return pino({ level }, process.stdout);
  return pino({ level }, pretty({ sync: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss' }));
}
