// What a git command is told of this host's network: the certificate authorities in one file, and the proxy.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { proxyFor } from '../../../shared/network/proxy.js';
import { BuildStepError } from '../../contract/build-step-error.js';
import { unless } from '../../system/errno.js';
import { caBundle, NetworkError, type NetworkSettings } from '../../system/network.js';

/**
 * Returns environment for git. The file of authorities is written into `folder` when it is not as it should be: git
 * takes one file, and takes it in place of the system's.
 *
 * @throws BuildStepError when the host's settings cannot be used
 */
export function gitNetwork(url: string, settings: NetworkSettings, folder: string): Record<string, string> {
  try {
    const bundle = caBundle(settings);
    const proxy = URL.canParse(url) ? proxyFor(url, settings) : null;
    return {
      ...(bundle === null ? {} : authorities(bundle, folder)),
      ...(proxy === null ? {} : { https_proxy: proxy.href }),
    };
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
    throw new BuildStepError('source', 'workspace_failed', 'platform', error.message, { cause: error });
  }
}

function authorities(bundle: string, folder: string): Record<string, string> {
  const file = join(folder, 'certificate-authorities.pem');
  if (unless(['ENOENT'], () => readFileSync(file, 'utf8')) !== bundle) {
    // Other builds may be writing it too.
    const own = `${file}.${process.pid}`;
    writeFileSync(own, bundle, { mode: 0o600 });
    renameSync(own, file);
  }
  return { GIT_SSL_CAINFO: file, GIT_PROXY_SSL_CAINFO: file };
}
