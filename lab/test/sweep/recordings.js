/** @import { SeenCheckout, SeenRequest } from '../../harness/monitor-reader.js' */

/**
 * What a monitor would see of requests.
 * @param {{ atMs: number, route: string, status?: number, totalMs: number, socket?: number, behind?: number,
 *   queries: [startMs: number, waitMs: number, useMs: number][] }[]} requests behind: how many had connections when
 *   they waited; queries: from the arrival
 */
export function seeRequests(requests) {
  let lastId = 0;
  return {
    forgotten: 0,
    requests: requests.map(
      ({ atMs, route, status = 200, totalMs, socket = 1 }, index) =>
        /** @type {SeenRequest} */ ({
          id: index + 1,
          source: 0,
          requestId: `r${index}`,
          request: index,
          socket,
          method: 'GET',
          route,
          status,
          totalMs,
          waitMs: 0,
          useMs: 0,
          behind: [],
          endedAtMs: atMs + totalMs,
        }),
    ),
    checkouts: requests.flatMap(({ atMs, route, queries, behind = 0 }, index) =>
      queries.map(
        ([startMs, waitMs, useMs], query) =>
          /** @type {SeenCheckout} */ ({
            id: ++lastId,
            source: 0,
            pool: null,
            server: 'db:1',
            route,
            requestId: `r${index}`,
            request: index,
            operation: `find ${query}`,
            kind: null,
            holds: 0,
            connectionId: 1,
            checkOutStartedAtMs: atMs + startMs,
            checkedOutAtMs: atMs + startMs + waitMs,
            checkedInAtMs: atMs + startMs + waitMs + useMs,
            endedAtMs: atMs + startMs + waitMs + useMs,
            isFresh: false,
            openingMs: 0,
            heldBy:
              behind === 0
                ? []
                : [{ route: null, operation: null, kind: null, requests: new Array(behind).fill(null) }],
            behind: [],
            outcome: 'checkedIn',
            reason: null,
          }),
      ),
    ),
  };
}
