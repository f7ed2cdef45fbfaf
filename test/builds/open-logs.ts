import { createFsBuildLogs, type FsBuildLogsOptions } from '../../control-plane/builds/logs/fs-build-logs.js';

/** Logs in files below `root`, at a time that does not pass. */
export const openLogs = (root: string, given: Partial<FsBuildLogsOptions> = {}) =>
  createFsBuildLogs({ root, maxOpen: 8, maxBytes: 2 ** 30, now: () => 1, onAppend: () => {}, ...given });
