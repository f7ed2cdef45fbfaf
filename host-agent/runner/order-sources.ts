import path from 'node:path';
import { systemClock } from '../../shared/clock.js';
import type { StartOrder } from '../contract/control.js';
import { defaultSourceLimits } from '../limits.js';
import type { LaySources } from './run.js';
import { materialize } from './source/materialize.js';
import { createSourceFetcher } from './source/source-fetcher.js';

const GIT_TOKEN = 'GIT_TOKEN';

/** The source step of an order: uploads over the link, repositories with the account's GIT_TOKEN, cached per account. */
export function sourcesFor(order: StartOrder): LaySources {
  const { spec, link } = order;
  const fetcher = createSourceFetcher({ siteUrl: link.site_url, credential: link.credential }, spec);
  return ({ paths, say, dropOthers, signal }) =>
    materialize({
      source: spec.source,
      fetcher,
      workDir: paths.work,
      stateDir: paths.state,
      cacheDir: path.join(order.data_dir, 'cache', String(spec.account_id)),
      cleanTree: spec.clean_tree,
      gitToken: order.secrets.find(({ name }) => name === GIT_TOKEN)?.value ?? null,
      say,
      makeRoom: dropOthers,
      signal,
      limits: { ...defaultSourceLimits, ...order.limits },
      clock: systemClock,
    });
}
