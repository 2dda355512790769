/**
 * A lesson is a folder `lessons/NN-name/` with its text, README.md, and lesson.js, which checks it; twist.js checks its twist.
 * Every third lesson has a puzzle: puzzle.md and puzzle.js. A check looks at results, a running app, a trace or an answer.
 *
 * @typedef {object} Exercise what can be checked: a lesson, its twist or its puzzle
 * @property {string} [lab] the check needs its results
 * @property {boolean} [app] the check needs a running app
 * @property {boolean} [trace] the check needs a trace
 * @property {Question} [asks] question for `verify --answer`
 * @property {Question} [guess] question for `guess`, before anything is measured
 * @property {string[]} [hints] three; the last one is the answer
 * @property {(evidence: Evidence) => Verdict | Promise<Verdict>} check pure; gets only the evidence that the exercise needs
 *
 * @typedef {Exercise & { minutes: number, hints: string[] }} LessonRules what lesson.js exports as `lesson`
 * @typedef {Exercise & { key: string }} TwistRules what twist.js exports as `twist`; key: the answer, for teachers
 * @typedef {Exercise & { hints: string[] }} PuzzleRules what puzzle.js exports as `puzzle`
 *
 * @typedef {{ question: string, unit: string, isCount?: boolean }} Question the answer is a number; a count is an
 *   integer of at least 0
 *
 * @typedef {Exercise & { name: string }} Task an exercise with the name of its progress: of the folder, and `/twist` or `/puzzle`
 *
 * @typedef {LessonRules & { name: string, title: string, text: string, twist: Task & { key: string }, puzzle?: Puzzle }} Lesson
 *   name: of the folder; text: README.md
 * @typedef {Task & { hints: string[], title: string, text: string }} Puzzle text: puzzle.md
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
 * @property {number} [truth] what the guess was about, as measured, in the unit of its question
 */

export {};
