// The network settings of git commands: the certificate authorities in one file, and the proxy.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unless } from '../../../shared/errno.js';
import { proxyFor } from '../../../shared/network/proxy.js';
import { BuildStepError } from '../../contract/build-step-error.js';
import { caBundle, NetworkError, type NetworkSettings } from '../../system/network.js';

/**
 * Returns the environment for git. Writes the file of authorities into `folder` when it has changed: git reads one
 * file, instead of the system's.
 *
 * @throws BuildStepError when the host's settings are not valid
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
    // Other builds may write it at the same time.
    const temporary = `${file}.${process.pid}`;
    writeFileSync(temporary, bundle, { mode: 0o600 });
    renameSync(temporary, file);
  }
  return { GIT_SSL_CAINFO: file, GIT_PROXY_SSL_CAINFO: file };
}
