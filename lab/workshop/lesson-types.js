/**
 * A lesson is a folder `lessons/NN-name/` with its text, README.md, and its rules, lesson.js. Every third lesson has a
 * puzzle, with its text in puzzle.md. A check looks at results, a running app, a trace or an answer.
 *
 * @typedef {object} Exercise what can be checked: a lesson, its twist or its puzzle
 * @property {string} [lab] the check needs its results
 * @property {boolean} [app] the check needs a running app
 * @property {boolean} [trace] the check needs a trace
 * @property {Question} [asks] question for `verify --answer`
 * @property {CaseCause[]} [causes] the check measures a shop that is slow for one of them
 * @property {Question & Explained} [guess] question for `guess`, before anything is measured
 * @property {string[]} [hints] three; the last one is the answer
 * @property {(evidence: Evidence) => Verdict | Promise<Verdict>} check pure; gets only the evidence that the exercise
 *   needs
 *
 * @typedef {object} Explained
 * @property {string} why the reason for the answer, in one sentence
 * @property {Replay} [replay]
 * @property {() => number | Promise<number>} [answer] calculates it, where the words of the question are enough; in the
 *   question's unit
 *
 * @typedef {object} Replay what a tunnel shows of the answer: buses of 5 s and Ferraris of 2 ms
 * @property {string} scenario path of an Artillery scenario, from the root
 * @property {number} poolSize
 * @property {number} [waitQueueTimeoutMs] none: requests wait as long as it takes
 *
 * @typedef {Exercise & { minutes: number, goal: string, hints: string[] }} MainExercise goal: what a learner can do
 *   after it
 * @typedef {Exercise & { key: string }} TwistRules key: the answer, for teachers
 * @typedef {Exercise & { hints: string[] }} PuzzleRules
 * @typedef {Exercise & { number: number, causes: CaseCause[], hints: string[] }} CaseRules
 * @typedef {MainExercise & { twist: TwistRules, puzzle?: PuzzleRules, case?: CaseRules }} LessonRules what lesson.js
 *   defines
 *
 * @typedef {{ question: string, unit: string, isCount?: boolean }} Question the answer is a number; a count is an
 *   integer of at least 0
 *
 * @typedef {Exercise & { name: string }} Task an exercise with the name of its progress: of the folder, and `/twist` or
 *   `/puzzle`; `case-1`
 *
 * @typedef {object} CaseCause why a shop is slow
 * @property {string} name
 * @property {string} about
 * @property {string} route that has it; `all` if it is in what they share
 * @property {string} sign what shows it
 * @property {[sound: string, broken: string]} change of lessons/cases/shop.mjs
 *
 * @typedef {{ title: string, text: string }} LessonText
 * @typedef {Task & MainExercise & LessonText & { twist: Task & TwistRules, puzzle?: Puzzle, case?: CaseTask }} Lesson
 *   name: of the folder; text: README.md
 * @typedef {Task & PuzzleRules & LessonText} Puzzle text: puzzle.md
 * @typedef {Task & CaseRules} CaseTask its name is case-1, case-2 or case-3
 *
 * @typedef {object} Evidence
 * @property {SavedResult[]} results of the lab, newest first
 * @property {{ max: number, checkouts: import('mongodb-pool-monitor').CheckoutRecord[] }} app max: the size of its pool
 * @property {import('mongodb-pool-predictor').Recording} recording
 * @property {number} answer
 * @property {Guess} guess
 * @property {ShopEvidence} shop of a case
 *
 * @typedef {object} ShopEvidence
 * @property {import('./cases/measure-shop.js').ShopFigures} figures
 * @property {CaseCause} cause that was drawn
 * @property {{ cause: string, route: string }} named by the learner
 * @property {Verdict['figures']} [recorded] what the learner's recording of the shop shows
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
 * @property {string} [needs] what to do before the next try, in lines that are not wrapped
 * @property {number} [truth] what the guess was about, as measured, in the unit of its question
 */

export {};
