/**
 * Keeps running when stdout or stderr can't be written. Nothing is reported for a closed pipe or terminal. A full disk
 * is reported once, on stderr, and makes the process fail.
 */
export function surviveBrokenOutput() {
  let isReported = false;
  /** @param {NodeJS.ErrnoException | null} error */
  const report = (error) => {
    if (!error || error.code === 'EPIPE' || isReported) return;
    isReported = true;
    process.exitCode ||= 1;
    process.stderr.write(`stdout can't be written: ${error.message}\n`);
  };
  process.stderr.on('error', () => {});
  process.stdout.on('error', report);
  // Commands that exit at once, such as --help, leave no time for the event.
  process.once('exit', () => report(process.stdout.errored));
}
