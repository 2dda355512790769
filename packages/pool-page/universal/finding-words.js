import { nameRoute } from './holder-words.js';
import { countOf, formatNumber, formatQuantity, formatShare } from './quantity.js';

/** @import { DiagnosisFinding, FailedOperations, RepeatedQueries } from 'mongodb-pool-predictor' */

/** What else costs time, or fails. @param {DiagnosisFinding} finding */
export function describeFinding(finding) {
  const route = nameRoute('route' in finding ? finding.route : null);
  switch (finding.kind) {
    case 'repeatedQueries':
      return (
        `${route}: ${countInTurn(finding)} (${finding.operations.join(', ')}) take ${formatQuantity(finding.ms, 'ms')} ` +
        `of its ${formatQuantity(finding.durationMs, 'ms')}. ${explainSaving(finding)}`
      );
    case 'failedOperations':
      return `${explainFailed(finding)}. They held connections for ${formatShare(finding.share)} of the time in use.`;
    case 'retriedTransactions':
      return (
        `${route}: ${countOf(finding.aborted, 'transaction was', 'transactions were')} aborted, ${finding.committed} ` +
        `committed. After a write conflict, withTransaction runs all of it again.`
      );
    case 'bufferedQueries':
      return (
        `${route}: ${countOf(finding.count, 'request', 'requests')} ended after ${formatQuantity(finding.ms, 'ms')} without ` +
        `asking for a connection. While mongoose is not connected, it keeps queries for that long (bufferTimeoutMS).`
      );
    default:
      return (
        `The machine was busy: MongoDB used ${formatNumber(finding.serverCores, 1)} of its ${finding.cores} cores, and ` +
        `other programs ${formatNumber(finding.otherCores, 1)}. Everything takes longer than on a quiet one.`
      );
  }
}

/** @param {RepeatedQueries} repeated */
export function countInTurn({ queries }) {
  return `${formatNumber(queries)} queries a request, one after another,`;
}

/** @param {RepeatedQueries} repeated */
export function explainSaving({ operations, savedMs }) {
  const isRead = operations.every((name) => /^(find|aggregate|count|distinct)\b/.test(name));
  const instead = isRead ? 'One query with $in, or a join,' : 'One bulk operation, or one query with $in,';
  return `${instead} saves up to ${formatQuantity(savedMs, 'ms')}.`;
}

/** @param {FailedOperations} failed */
export function explainFailed({ route, operation, count, of, ms, option }) {
  const how = option ? `: ${option} ends them` : '';
  const which = `operations of ${nameRoute(route)}${operation === null ? '' : ` (${operation})`}`;
  return `${count === of ? `All ${of}` : `${count} of ${of}`} ${which} failed after ${formatQuantity(ms, 'ms')} with a connection${how}`;
}
