/**
 * Call `end` once the parent process has closed the IPC channel, which includes a parent that died. Does nothing in a
 * process without such a channel.
 * @param {() => unknown} end
 */
export function onParentGone(end) {
  process.once('disconnect', end);
  // While this process was loading, nobody heard the event.
  if (process.send && !process.connected) end();
}
