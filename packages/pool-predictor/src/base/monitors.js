/**
 * Connections to each server that a client keeps outside its pool, for server monitoring:
 * https://github.com/mongodb/specifications/blob/master/source/server-discovery-and-monitoring/server-monitoring.md
 */
export const MONITORS = 2;
