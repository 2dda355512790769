/** This environment with other settings, for a child process. @param {Record<string, string>} settings */
export function childEnvironment(settings) {
  return { ...process.env, ...settings };
}
