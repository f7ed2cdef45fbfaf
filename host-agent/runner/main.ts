// Entry of a build process: `node dist/host-agent/runner/main.js`, with file descriptor 3 connected to the daemon.
import { Socket } from 'node:net';
import { systemClock } from '../../shared/clock.js';
import { BuildStepError } from '../contract/build-step-error.js';
import { openDriver } from '../driver/open.js';
import { hasSubreaper } from '../system/subreaper.js';
import { type BuildProcessParts, serveOneBuild } from './build-process.js';
import { maskFor } from './order-mask.js';
import { sourcesFor } from './order-sources.js';
import { openSpool } from './spool.js';

const parts: BuildProcessParts = {
  clock: systemClock,
  openDriver,
  maskFor,
  sourcesFor,
  openSpool,
  // Without a subreaper, `ps` would be a child of this process.
  ancestor: hasSubreaper() ? process.pid : undefined,
};

const starter = new Socket({ fd: 3, readable: true, writable: true });

const { halt, done } = serveOneBuild(starter, parts);

// The machine shuts down; there is little time to report it.
process.on('SIGTERM', () => {
  const message = 'The host was shut down while the build ran. The build can be run again unchanged.';
  halt.request(new BuildStepError('platform', 'mac_lost', 'platform', message));
});
process.on('SIGHUP', () => undefined);

await done;
process.exit(0);
