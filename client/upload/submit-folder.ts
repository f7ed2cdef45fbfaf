// Builds a folder: uploads it, then submits the build.

import type { BuildClient } from '../build-client.js';
import { CidermillError } from '../cidermill-error.js';
import type { CallOptions } from '../http/exchange.js';
import type { BuildRequest, CreatedBuild } from '../types.js';
import { type Pushed, type PushOptions, pushFolder } from './push-folder.js';

/** How often a folder is uploaded again because the service lost contents in between. */
const SUBMIT_ATTEMPTS = 3;

const repeats = ({ retryable, code }: CidermillError) => retryable && code !== 'upload_incomplete';

export interface SubmitOptions extends PushOptions {
  /** Submits the build. `upload_incomplete` must not be retried as it is; the options say so. */
  create(request: Partial<BuildRequest>, options: CallOptions): Promise<CreatedBuild>;
}

/**
 * Uploads a folder and submits a build of it; contents that the service lost in between are sent again, a few times.
 *
 * @throws SelectionError, CidermillError
 */
export async function submitFolder(
  client: BuildClient,
  request: Partial<BuildRequest>,
  options: SubmitOptions,
): Promise<{ build: CreatedBuild; pushed: Pushed }> {
  for (let attempt = 1; ; attempt++) {
    const pushed = await pushFolder(client, options);
    options.signal?.throwIfAborted();
    try {
      const complete = { ...request, upload_id: pushed.upload.id };
      return { build: await options.create(complete, { retry: { repeats } }), pushed };
    } catch (error) {
      const incomplete = error instanceof CidermillError && error.code === 'upload_incomplete';
      if (!incomplete || attempt >= SUBMIT_ATTEMPTS) throw error;
    }
  }
}
