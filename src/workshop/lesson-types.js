/**
 * A lesson is a folder `lessons/NN-name/`: README.md, its text, and lesson.js, which says what its check looks at. A
 * check looks at what happened (results, an app's record, a trace) and at what somebody answered, never at what they
 * have read.
 *
 * @typedef {object} LessonRules what lesson.js exports as `lesson`
 * @property {number} minutes that it takes
 * @property {string} [lab] whose results the check looks at
 * @property {boolean} [app] whether it looks at an app that runs
 * @property {boolean} [trace] whether it looks at a trace
 * @property {Question} [asks] what `verify --answer` is to tell
 * @property {Question} [guess] what `guess` is to tell, before anything is measured
 * @property {(evidence: Evidence) => Verdict} check pure; of the evidence it is given what the lesson asks for
 *
 * @typedef {{ question: string, unit: string, isCount?: boolean }} Question whose answer is a number, a whole one from 0
 *   if it is a count
 *
 * @typedef {LessonRules & { name: string, title: string, text: string }} Lesson name: of the folder; text: README.md
 *
 * @typedef {object} Evidence
 * @property {SavedResult[]} results of the lab, the newest first
 * @property {{ max: number, checkouts: import('mongodb-pool-monitor').CheckoutRecord[] }} app max: the size of its pool
 * @property {import('mongodb-pool-predictor/node').Trace} trace
 * @property {number} answer
 * @property {Guess} guess
 *
 * @typedef {import('../report/result-types.js').Result & { file: string }} SavedResult file: that it was read from
 *
 * @typedef {{ value: number, at: string }} Guess at: ISO 8601
 *
 * @typedef {object} Verdict
 * @property {boolean} isRight
 * @property {string} words why, in a sentence or two
 * @property {[label: string, value: string][]} [figures] shown above the words
 * @property {SavedResult[]} [runs] that it is about
 */

export {};
