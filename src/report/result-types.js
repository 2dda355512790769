/**
 * The shapes a report is made of. A lab says as data how its result is shown; a result is what one run gave.
 *
 * @typedef {object} Lab
 * @property {string} name what `pool-lab run` calls it, for example `mixed`
 * @property {string} title
 * @property {string} question in words for somebody who has never heard of a connection pool
 * @property {{ title: string, url: string }} [source] where the experiment was published
 * @property {string[]} howToRead short sentences for the same reader
 * @property {Record<string, string>} [glossary] words of the table that a newcomer does not know, and what they mean
 * @property {Column[]} columns the first one names the variant
 * @property {ChartSpec[]} charts the first one is the picture of the result
 * @property {'open' | 'closed' | 'backlog'} [load] open: users come when they come; closed: each asks again once it has
 *   its answer; backlog: all the work is there at the start
 * @property {(result: Result) => string} takeaway one sentence with the run's own numbers; it is given only
 *   the variants that were measured or predicted, at least one
 * @property {(result: Result) => Finding[]} [findings] what the published experiment found, as ratios, and whether it
 *   is so here; it is given the same variants as `takeaway`
 *
 * @typedef {object} Finding
 * @property {string} claim in words, for example `100 workers: copy / fixed, queries per second`
 * @property {number | null | undefined} measured a ratio; null where the run does not say
 * @property {number | null | undefined} published the same ratio of the published figures
 */

/**
 * @template [Row=Variant]
 * @typedef {object} Column
 * @property {string} heading short, because a terminal has 80 columns
 * @property {string} [group] heading over neighbouring columns that share it
 * @property {string} [unit] shown once, with the group where there is one
 * @property {(row: Row) => number | string | null | undefined} value null where there is none, shown as a dash;
 *   `measured` is null in a variant that could not run
 * @property {number} [digits] decimals, 0 unless told
 * @property {string} [about] what the heading means, for the page, which has room to say it
 */

/**
 * @typedef {object} ChartSpec
 * @property {string} title
 * @property {string} xLabel what the categories are
 * @property {string} yLabel what the values are
 * @property {string} unit of the values; `ms` is shown in seconds where that reads better
 * @property {'bar' | 'dot' | 'line'} kind dots have a logarithmic axis, which has no zero for a bar to start from
 * @property {boolean} [log] logarithmic values of a line
 * @property {(variant: Variant) => string} category what the variant is called
 * @property {Series[]} series
 * @property {(variant: Variant) => Record<string, number> | null | undefined} [timeSeries] how a value went, for example
 *   by second: each variant that has one is a line of its own, in place of the series
 *
 * @typedef {object} Series
 * @property {string} label
 * @property {Role} role measured figures are drawn in full colour, those they are compared with lightly
 * @property {string} [route] whose times these are: `/slow` and `/fast` look the same in every chart
 * @property {(variant: Variant) => number | null | undefined} value as in a column
 *
 * @typedef {'measured' | 'predicted' | 'exact' | 'published'} Role
 *
 * @typedef {object} Result
 * @property {string} lab the lab's name
 * @property {string} startedAt ISO 8601
 * @property {Record<string, unknown>} environment versions and machine: `{ node: '22.18.0', cores: 8 }`
 * @property {Record<string, unknown>} settings what was asked for: `{ poolSizes: [1, 3, 10], slowMs: 5000 }`
 * @property {Variant[]} variants
 * @property {string[]} [warnings]
 *
 * @typedef {object} Variant
 * @property {string} name for example `pool 1`
 * @property {Record<string, any>} settings for example `{ poolSize: 1 }`
 * @property {Record<string, any> | null} measured the lab's own figures; null if the variant could not run
 * @property {Record<string, any> | null} [predicted] by simulation, of the shape of `measured` or a part of it
 * @property {Record<string, any> | null} [exact] worked out, of the shape of `measured` or a part of it
 * @property {Record<string, any> | null} [published]
 * @property {Run[]} [runs] the repeats that `measured` sums up
 * @property {string} [error] why the variant, or a repeat of it, could not run
 *
 * @typedef {object} Run
 * @property {Record<string, any>} measured
 * @property {number[]} [arrivalsMs] when each request asked for a connection, counted from the first
 */

export {};
