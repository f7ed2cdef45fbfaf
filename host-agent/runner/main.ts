// Entry of a build process: `node dist/host-agent/runner/main.js cidermill-build [warm]`, with file descriptor 3 connected
// to the daemon.
import '../../shared/debug-signal.js';
import { Socket } from 'node:net';
import { systemClock } from '../../shared/clock.js';
import { ignoreErrors } from '../../shared/log-output.js';
import { hostFailure } from '../../shared/messages/host-failures.js';
import { BUILD_UMASK } from '../../shared/private-folder.js';
import { BuildStepError } from '../contract/build-step-error.js';
import { closeInherited } from '../system/inherited-descriptors.js';
import { hasSubreaper } from '../system/subreaper.js';
import { type BuildProcessParts, serveOneBuild } from './build-process.js';
import { openMac } from './open-mac.js';
import { maskFor } from './order-mask.js';
import { sourcesFor } from './order-sources.js';
import { openSpool } from './spool.js';
import { warmUp } from './warm-up.js';

const parts: BuildProcessParts = {
  clock: systemClock,
  openMac,
  maskFor,
  sourcesFor,
  openSpool,
  // Without a subreaper, `ps` would be a child of this process.
  ancestor: hasSubreaper() ? process.pid : undefined,
};

// Crashes are recorded there; a full disk must not cause one.
ignoreErrors(process.stderr);

// Sources and files of the script get the same modes as in a login shell.
process.umask(BUILD_UMASK);

// Not descriptor 3: Node has already set close-on-exec on it.
closeInherited();

const starter = new Socket({ fd: 3, readable: true, writable: true });

if (process.argv[3] === 'warm') {
  const busy = new AbortController();
  const onInput = () => busy.abort();
  // The start message, or the end of the connection; neither is read here.
  starter.once('readable', onInput);
  // Only for speed: if it fails here, it fails in the build too, with a proper reason.
  await warmUp(parts, busy.signal).catch((error: unknown) => {
    if (!busy.signal.aborted) process.stderr.write(`warming up: ${String(error)}\n`);
  });
  starter.off('readable', onInput);
}

const { halt, done } = serveOneBuild(starter, parts);

// The machine shuts down; there is little time to report it.
process.on('SIGTERM', () => {
  halt.request(new BuildStepError('platform', 'mac_lost', 'platform', hostFailure('host_shut_down')));
});
process.on('SIGHUP', () => undefined);

await done;
process.exit(0);
