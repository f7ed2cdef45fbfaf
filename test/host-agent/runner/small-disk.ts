// A build process whose log has a quota of 1 MiB, as on a disk that is full.
import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { serveOneBuild } from '../../../host-agent/runner/build-process.js';
import { openMac } from '../../../host-agent/runner/open-mac.js';
import { maskFor } from '../../../host-agent/runner/order-mask.js';
import { sourcesFor } from '../../../host-agent/runner/order-sources.js';
import { openSpool } from '../../../host-agent/runner/spool.js';
import { systemClock } from '../../../shared/clock.js';

let room = 1024 * 1024;

const { done } = serveOneBuild(new Socket({ fd: 3, readable: true, writable: true }), {
  clock: systemClock,
  openMac,
  maskFor,
  sourcesFor,
  openSpool: (file) =>
    openSpool(file, (fd, bytes, offset) => {
      if (room === 0) throw Object.assign(new Error('no room'), { code: 'ENOSPC' });
      const written = writeSync(fd, bytes, offset, Math.min(room, bytes.length - offset));
      room -= written;
      return written;
    }),
});
await done;
process.exit(0);
