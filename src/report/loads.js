/** What a reader must know of how the load came, by `load` of a lab. */
export const LOADS = {
  open: 'Open arrivals: users come when they come, however slow the answers are.',
  closed: 'Closed loop: each worker asks again once it has its answer, so that a slow server is asked less often.',
  backlog: 'Backlog: all the work is there at the start and is taken as fast as it can be; nobody waits for an answer.',
};
