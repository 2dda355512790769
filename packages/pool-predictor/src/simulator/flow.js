/**
 * @typedef {{ kind: 'request', route: string }} RequestStep
 * @typedef {{ kind: 'think', ms: number, jitterMs?: number }} ThinkStep a pause of ms ± jitterMs
 * @typedef {{ kind: 'loop', count: number, steps: FlowStep[] }} LoopStep
 * @typedef {RequestStep | ThinkStep | LoopStep} FlowStep
 */

/**
 * One instruction of a flattened flow. `again` ends a loop's body: it jumps back by `back` instructions until the body
 * has run `count` times. `depth` numbers the nested loops, because a user has one counter for each.
 *
 * @template R
 * @typedef {{ kind: 'request', route: R }
 *   | { kind: 'think', ms: number, jitterMs: number }
 *   | { kind: 'again', count: number, depth: number, back: number }} Instruction
 */

/**
 * Flattens the steps of a scenario and its loops, so that a user's position in it is one number.
 *
 * @template R
 * @param {FlowStep[]} steps
 * @param {(route: string) => R} routeOf what a request instruction holds for its route
 * @param {number} [depth]
 * @returns {Instruction<R>[]}
 */
export function compileFlow(steps, routeOf, depth = 0) {
  return steps.flatMap((step) => {
    if (step.kind === 'request') return [{ kind: step.kind, route: routeOf(step.route) }];
    if (step.kind === 'think') return [{ kind: step.kind, ms: step.ms, jitterMs: step.jitterMs ?? 0 }];
    if (step.count < 1) return [];
    const body = compileFlow(step.steps, routeOf, depth + 1);
    return [...body, { kind: 'again', count: step.count, depth, back: body.length + 1 }];
  });
}

/** @param {FlowStep[]} steps @returns {string[]} the route of every request, loops counted once */
export function listRoutes(steps) {
  return steps.flatMap((step) => {
    if (step.kind === 'loop') return listRoutes(step.steps);
    return step.kind === 'request' ? step.route : [];
  });
}
