// Entry of a build process: `node dist/host-agent/build/main.js`, with file descriptor 3 connected to the daemon.
import { Socket } from 'node:net';
import { systemClock } from '../../shared/clock.js';
import { openDriver } from '../driver/open.js';
import { serveOneBuild } from './build-process.js';
import { BuildStepError } from './build-step-error.js';
import { maskFor } from './order-mask.js';
import { sourcesFor } from './order-sources.js';
import { openSpool } from './spool.js';

const { halt, done } = serveOneBuild(new Socket({ fd: 3, readable: true, writable: true }), {
  clock: systemClock,
  openDriver,
  maskFor,
  sourcesFor,
  openSpool,
});

// The machine goes down: there is little time to say so.
process.on('SIGTERM', () => {
  const message = 'The host was shut down while the build ran. The build can be run again unchanged.';
  halt.request(new BuildStepError('platform', 'mac_lost', 'platform', message));
});
process.on('SIGHUP', () => undefined);

await done;
process.exit(0);
