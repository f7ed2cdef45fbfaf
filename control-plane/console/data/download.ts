import type { ArtifactAddress } from '../../../client/types.js';
import { CONSOLE_ROOT, request } from './api.js';

/**
 * Saves an artifact.
 *
 * @param downloadUrl `download_url` of a file, which answers a signed address for a short time
 */
export async function download(downloadUrl: string): Promise<void> {
  const { url } = await request<ArtifactAddress>('GET', downloadUrl.slice(CONSOLE_ROOT.length));
  // The response is an attachment, so that the page stays.
  location.assign(new URL(new URL(url).pathname, location.origin));
}
