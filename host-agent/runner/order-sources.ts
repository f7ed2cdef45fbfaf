import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path, { join } from 'node:path';
import { systemClock } from '../../shared/clock.js';
import { unless } from '../../shared/errno.js';
import { proxyFor } from '../../shared/network/proxy.js';
import { BuildStepError } from '../contract/build-step-error.js';
import type { StartOrder } from '../contract/control.js';
import { defaultSourceLimits } from '../limits.js';
import { caBundle, NetworkError, type NetworkSettings, openNetwork } from '../system/network.js';
import type { CheckOutSources } from './run-options.js';
import { materialize } from './source/materialize.js';
import { createSourceFetcher } from './source/source-fetcher.js';

const GIT_TOKEN = 'GIT_TOKEN';

/**
 * Returns the source step for a start message: uploads over the link, repositories with the account's GIT_TOKEN, with
 * caches per account.
 */
export function sourcesFor(order: StartOrder): CheckOutSources {
  const { spec, link, network } = order;
  const address = { siteUrl: link.site_url, credential: link.credential };
  const isUpload = spec.source.kind === 'upload';
  const fetcher = createSourceFetcher(isUpload ? { ...address, network: openNetwork(network) } : address, spec);
  return ({ paths, say, warn, dropOthers, signal }) =>
    materialize({
      source: spec.source,
      fetcher,
      workDir: paths.sources,
      stateDir: paths.state,
      cacheDir: path.join(order.data_dir, 'cache', String(spec.account_id)),
      cleanTree: spec.clean_tree,
      copied: paths.sources !== paths.work,
      gitToken: order.secrets.find(({ name, encoding }) => name === GIT_TOKEN && !encoding)?.value ?? null,
      ...(spec.source.kind === 'git' ? { gitEnv: gitNetwork(spec.source.url, network, order.data_dir) } : {}),
      say,
      warn,
      makeRoom: dropOthers,
      signal,
      limits: { ...defaultSourceLimits, ...order.limits },
      clock: systemClock,
    });
}

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
