/** How the load of a lab came, by its `loadKind`: a reader must know this to judge the figures. */
export const LOAD_KINDS = {
  open: 'Open loop: users arrive at their own times, however slow the answers are.',
  closed: 'Closed loop: each worker sends its next request when the last one is answered, so a slow server gets fewer '
    + 'requests.',
  backlog: 'Backlog: all the work is there from the start and is done as fast as possible. Nobody waits for an answer.',
};
