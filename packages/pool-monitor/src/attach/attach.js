// For `node --import mongodb-pool-monitor/attach app.js`, or the same in NODE_OPTIONS.
try {
  // Loaded here, so that an error while loading does not stop the app either.
  const { readAttachSettings } = await import('./attach-settings.js');
  const { findWatch, watchProcess } = await import('./watched-process.js');
  const { loadPage } = await import('./load-page.js');
  if (!findWatch()) watchProcess(readAttachSettings(process.env), { page: await loadPage() });
} catch (error) {
  process.stderr.write(`mongodb-pool-monitor: ${error instanceof Error ? error.message : error}. Nothing is watched\n`);
}
