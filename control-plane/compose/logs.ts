// Logs of builds: in files, or, where contents are objects, in the database and then in objects.
import { createLogRows } from '../builds/app/log-rows.js';
import type { BuildLogs } from '../builds/logs/build-logs.js';
import type { EndedLogs } from '../builds/logs/ended-logs.js';
import { createFsBuildLogs } from '../builds/logs/fs-build-logs.js';
import { createSharedBuildLogs } from '../builds/logs/shared-build-logs.js';
import type { Platform } from './platform.js';

export function composeLogs(platform: Platform): { logs: BuildLogs; endedLogs: EndedLogs | null } {
  const { limits, wake, ports, store, clock, realClock, objects } = platform;
  const options = {
    maxOpen: limits.open_logs,
    now: () => clock.now(),
    // Hosts cut the middle of a long log; this limit is for a host that does not.
    maxBytes: 2 * (limits.log_bytes + limits.log_tail_bytes),
    onAppend: (buildId: string) => wake.wake('build-log', buildId),
  };
  if (ports.logs) return { logs: ports.logs, endedLogs: null };
  if (objects === null)
    return { logs: createFsBuildLogs({ ...options, root: platform.folder('logs') }), endedLogs: null };
  const { logs, ended } = createSharedBuildLogs({
    ...options,
    rows: createLogRows(store),
    objects: objects.objects,
    systemNow: () => realClock.now(),
  });
  return { logs, endedLogs: ended };
}

/** The disk of this machine says nothing about the room that a database elsewhere has. */
export function roomForLogs({ store, diskRoom }: Pick<Platform, 'store' | 'diskRoom'>): Platform['diskRoom'] {
  if (store.dialect === 'sqlite') return diskRoom;
  return { ...diskRoom, left: async () => Number.MAX_SAFE_INTEGER, admits: async () => true };
}
