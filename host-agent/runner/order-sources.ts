import path from 'node:path';
import { systemClock } from '../../shared/clock.js';
import type { StartOrder } from '../contract/control.js';
import { defaultSourceLimits } from '../limits.js';
import { openNetwork } from '../system/network.js';
import type { CheckOutSources } from './run-options.js';
import { gitNetwork } from './source/git-network.js';
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
