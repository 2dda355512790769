/**
 * How a lab's results are shown, as data. `Settings` are those of its variants, `Figures` what it measures.
 * @template [Settings=any]
 * @template [Figures=any]
 * @typedef {object} LabView
 * @property {string} name what `pool-lab run` calls it, for example `mixed`
 * @property {string} title
 * @property {string} question for somebody who has never heard of a connection pool
 * @property {Source} [source] where the experiment was published
 * @property {string[]} howToRead short sentences for the same reader
 * @property {Record<string, string>} [glossary] words of the table that a newcomer does not know
 * @property {Column<Variant<Settings, Figures>>[]} columns the first one names the variant
 * @property {ChartSpec<Settings, Figures>[]} charts the first one is the picture of the result
 * @property {'findings'} [picture] then the findings are the picture of a single result, and its charts and table are
 *   folded
 * @property {(result: Result<Settings, Figures>) => string} [footnote] below the table: what a figure in it needs to be
 *   understood; empty if none does
 * @property {(variant: Variant<Settings, Figures>, result: Result<Settings, Figures>) => 'answer' | 'good' | 'bad' |
 *   undefined} [judge] the row to look at, and goals that are met or not
 * @property {'open' | 'closed' | 'backlog'} [loadKind] a key of LOAD_KINDS
 * @property {(result: Result<Settings, Figures>) => string} takeaway one sentence with the result's own numbers; gets
 *   only the variants that were measured or predicted, at least one
 * @property {(result: Result<Settings, Figures>) => Finding[]} [findings] gets the same variants as `takeaway`
 */

/**
 * `foundElsewhere`: dates and hardware that the document does not state.
 * @typedef {{ title: string, url: string, foundElsewhere?: { fact: string, where: string }[] }} Source
 */

/**
 * A ratio that the published experiment found, beside the one found here; null where there is none.
 *
 * @typedef {object} Finding
 * @property {string} claim for example `100 workers: copy / fixed, queries per second`
 * @property {number | null | undefined} measured
 * @property {number | null | undefined} published
 * @property {{ label: string, ratio: number }} [peer] what another program found, and which
 * @property {[number, number]} [spread] the smallest and the largest of the repeats; `measured` is their median
 * @property {string} [reason] one sentence: why the two differ, or what both have in common
 */

/**
 * @template [Row=Variant]
 * @typedef {object} Column
 * @property {string} heading short, because a terminal has 80 columns
 * @property {string} [group] heading over neighbouring columns that share it
 * @property {string} [unit] shown once, with the group where there is one
 * @property {(row: Row) => number | string | number[] | null | undefined} value null is shown as a dash; `measured` is
 *   null in a variant that could not run; the two ends of a band
 * @property {number | 'times'} [digits] decimals, default 0; times: as many as times in ms need, the same in each row
 * @property {string} [about] what the heading means, for the page, which has room to say it
 * @property {boolean} [detail] not in the terminal, and folded on the page
 */

/**
 * @template [Settings=any]
 * @template [Figures=any]
 * @typedef {object} ChartSpec
 * @property {string} title
 * @property {string} xLabel what the categories are
 * @property {string} yLabel what the values are
 * @property {string} unit of the values; `ms` is shown in seconds where that reads better
 * @property {'bar' | 'dot' | 'line'} kind dots have a logarithmic axis, which has no zero for a bar to start from
 * @property {boolean} [log] logarithmic values of a line
 * @property {(variant: Variant<Settings, Figures>) => string} category what the variant is called
 * @property {Series<Settings, Figures>[]} series
 * @property {(variant: Variant<Settings, Figures>, result: Result<Settings, Figures>) =>
 *   Record<string, number> | null | undefined} [timeSeries] replaces the series: each variant that has one is a line,
 *   for example by second
 */

/**
 * @template [Settings=any]
 * @template [Figures=any]
 * @typedef {object} Series
 * @property {string} label
 * @property {Role} role measured figures are drawn in full colour, the others lightly
 * @property {string} [route] `/slow` and `/fast` have the same colour in every chart
 * @property {(variant: Variant<Settings, Figures>) => number | null | undefined} value as in a column
 */

/** @typedef {'measured' | 'predicted' | 'exact' | 'published'} Role */

/**
 * What one run of a lab gave.
 * @template [Settings=any]
 * @template [Figures=any]
 * @typedef {object} Result
 * @property {string} lab the lab's name
 * @property {string} startedAt ISO 8601
 * @property {Record<string, unknown>} environment versions and machine: `{ node: '22.18.0', cores: 8 }`
 * @property {Record<string, unknown>} settings of the run: `{ poolSizes: [1, 3, 10], slowMs: 5000 }`
 * @property {Variant<Settings, Figures>[]} variants
 * @property {string[]} [warnings]
 */

/**
 * @template [Settings=any]
 * @template [Figures=any]
 * @typedef {object} Variant
 * @property {string} name for example `pool 1`
 * @property {Settings} settings for example `{ poolSize: 1 }`
 * @property {Figures | null} measured counts are sums over the repeats, the rest medians; null if it could not run
 * @property {Partial<Figures> | null} [predicted] by simulation
 * @property {Partial<Figures> | null} [exact] worked out
 * @property {Partial<Figures> | null} [published]
 * @property {Repeat<Figures>[]} [repeats]
 * @property {number} [machineShare] of the cores that other programs left, 0 to 1: the least of the repeats
 * @property {string} [error] why the variant, or a repeat of it, could not run
 */

/**
 * One measurement of a variant.
 * @template [Figures=any]
 * @typedef {object} Repeat
 * @property {Figures} measured
 * @property {number[]} [arrivalsMs] checkOutStarted of each request, counted from the first
 * @property {Samples} [samples]
 */

/**
 * @typedef {{ services: Record<string, number[]>, overheadsMs: number[] }} Samples in ms: service times by route, and
 *   what responses took beyond waits and service times
 */

export {};
