/**
 * A lesson is a folder `lessons/NN-name/` with its text, README.md, and lesson.js, which checks it. A check looks at
 * results, a running app, a trace or an answer.
 *
 * @typedef {object} LessonRules what lesson.js exports as `lesson`
 * @property {number} minutes
 * @property {string} [lab] the check needs its results
 * @property {boolean} [app] the check needs a running app
 * @property {boolean} [trace] the check needs a trace
 * @property {Question} [asks] question for `verify --answer`
 * @property {Question} [guess] question for `guess`, before anything is measured
 * @property {(evidence: Evidence) => Verdict | Promise<Verdict>} check pure; gets only the evidence that the lesson needs
 *
 * @typedef {{ question: string, unit: string, isCount?: boolean }} Question the answer is a number; a count is an
 *   integer of at least 0
 *
 * @typedef {LessonRules & { name: string, title: string, text: string }} Lesson name: of the folder; text: README.md
 *
 * @typedef {object} Evidence
 * @property {SavedResult[]} results of the lab, newest first
 * @property {{ max: number, checkouts: import('mongodb-pool-monitor').CheckoutRecord[] }} app max: the size of its pool
 * @property {import('mongodb-pool-predictor/node').Trace} trace
 * @property {number} answer
 * @property {Guess} guess
 *
 * @typedef {import('../report/result-types.js').Result & { file: string }} SavedResult
 *
 * @typedef {{ value: number, at: string }} Guess at: ISO 8601
 *
 * @typedef {object} Verdict
 * @property {boolean} isRight
 * @property {string} words the reason, in a sentence or two
 * @property {[label: string, value: string][]} [figures] shown above the words
 * @property {SavedResult[]} [runs] the runs it is based on
 */

export {};
