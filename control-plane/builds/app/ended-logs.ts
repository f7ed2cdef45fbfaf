// Moves the logs of ended builds from the database into objects.
import type { Core } from '../../platform/app/core.js';
import { BlobError } from '../../platform/blobs/blob-error.js';
import type { EndedLogs } from '../logs/ended-logs.js';

export interface EndedLogsDeps extends Pick<Core, 'log'> {
  readonly endedLogs: EndedLogs;
}

const AT_ONCE = 100;

/** Moves all that there are. Those that cannot be moved now stay readable in the database until the next call. */
export async function moveEndedLogs({ endedLogs, log }: EndedLogsDeps): Promise<void> {
  let after = '';
  for (;;) {
    const found = await endedLogs.find(after, AT_ONCE);
    for (const ended of found) {
      try {
        await endedLogs.move(ended);
      } catch (error) {
        log.warn({ err: error, build_id: ended.buildId }, 'the log of an ended build stays in the database for now');
        // The others would wait for it in vain.
        if (error instanceof BlobError && error.kind === 'away') return;
      }
    }
    if (found.length < AT_ONCE) return;
    after = found.at(-1)?.buildId ?? '';
  }
}
