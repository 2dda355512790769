import { sendRequests } from '../../lab/harness/loads/open-loop.js';

/** @import { Answer, DueRequest } from '../../lab/harness/loads/open-loop.js' */

/**
 * Plans requests that arrive at a constant rate on each route.
 * @param {Record<string, number>} ratesPerSec by route
 * @param {number} seconds
 * @returns {DueRequest[]} oldest first
 */
export function planLoad(ratesPerSec, seconds) {
  return Object.entries(ratesPerSec)
    .flatMap(([route, rate]) =>
      Array.from({ length: rate * seconds }, (_, index) => ({ route, atMs: (index / rate) * 1000 })),
    )
    .sort((a, b) => a.atMs - b.atMs);
}

/**
 * Sends a load and counts the outcomes. /livez must answer 200, other routes 200 or 503, all within `timeoutMs`.
 * @param {DueRequest[]} requests oldest first
 * @param {{ url: string, timeoutMs: number }} options
 */
export async function sendLoad(requests, { url, timeoutMs }) {
  const { signal } = new AbortController();
  const answers = await sendRequests(requests, { url, patienceMs: timeoutMs, signal });
  /** @param {Answer} answer */
  const isRefused = ({ route, status }) => status === 503 && route !== '/livez';
  const wrong = answers.filter((answer) => answer.status !== 200 && !isRefused(answer));
  return {
    sent: answers.length,
    answered: answers.filter(({ status }) => status === 200).length,
    refused: answers.filter(isRefused).length,
    problems: wrong.map(
      ({ route, status, tookMs, atMs }) =>
        `${route} at ${Math.round(atMs)} ms: ${status || 'no answer'} after ${Math.round(tookMs)} ms`,
    ),
    maxLivezMs: Math.max(...answers.filter(({ route }) => route === '/livez').map(({ tookMs }) => tookMs)),
  };
}
