import { wasBusy } from '../harness/busy-machine.js';
import { wrong } from './define-lesson.js';

/** @import { Evidence, Task, Verdict } from './lesson-types.js' */

/**
 * Runs a check. A run on a busy machine proves nothing, so checks never see one.
 * @param {Task} task
 * @param {Evidence} evidence
 * @returns {Promise<Verdict>}
 * @throws {Error} naming the lesson and the cause: checks trust results and apps to have all figures
 */
export async function judge(task, evidence) {
  const results = evidence.results ?? [];
  const quiet = results.filter((run) => !wasBusy(run));
  const left = results.length - quiet.length;
  try {
    const verdict = await task.check({ ...evidence, results: quiet });
    if (verdict.isRight || left === 0) return verdict;
    return wrong(
      `The machine was busy with something else during ${left === 1 ? '1 run, so it does' : `${left} runs, so they do`} not ` +
        `count. Close other programs and run it again. ${verdict.words}`,
    );
  } catch (cause) {
    const { message } = /** @type {Error} */ (cause);
    throw new Error(`The check of lesson ${task.name} failed: ${message}`, { cause });
  }
}
