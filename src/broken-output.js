/**
 * Live on when nobody takes what this process says: a closed terminal or pipe, a full disk. A full disk is told once, on
 * stderr, and is a failure; whoever has closed a pipe knows.
 */
export function surviveBrokenOutput() {
  let isTold = false;
  /** @param {NodeJS.ErrnoException | null} error */
  const tell = (error) => {
    if (!error || error.code === 'EPIPE' || isTold) return;
    isTold = true;
    process.exitCode ||= 1;
    process.stderr.write(`stdout can't be written: ${error.message}\n`);
  };
  process.stderr.on('error', () => {});
  process.stdout.on('error', tell);
  // Those who exit at once, like a command's help, leave no time for the event.
  process.once('exit', () => tell(process.stdout.errored));
}
