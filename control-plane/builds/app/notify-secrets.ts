// Signing secrets of builds' notify_url.
import { rowsInPages, type SealedValue } from '../../platform/app/sealed-values.js';
import { openedOrNull, type Vault } from '../../platform/app/vault.js';
import type { Queries } from '../../platform/store/sql.js';
import { findAnyBuild } from '../store/builds.js';
import { findNotifySecret, listNotifySecrets } from '../store/notify-secrets.js';

/** Context that binds the sealed secret to its build; it cannot be opened in any other. */
export const notifySecretContext = (buildId: string) => `notify:${buildId}`;

/**
 * Returns the receiver of the build's events and its signing secret (null if it cannot be decrypted); null if the build
 * has no notify_url.
 */
export async function notifyReceiver(
  q: Queries,
  vault: Vault,
  buildId: string,
): Promise<{ url: string; secret: string | null } | null> {
  const build = await findAnyBuild(q, buildId);
  const sealed = await findNotifySecret(q, buildId);
  if (!build || build.notifyUrl === null || sealed === null) return null;
  const secret = openedOrNull(() => vault.openBytes(sealed, notifySecretContext(buildId)));
  return { url: build.notifyUrl, secret };
}

const PAGE = 200;

/** Yields every sealed notify_url secret by build id. */
export async function* everyNotifySecret(q: Queries, vault: Pick<Vault, 'openBytes'>): AsyncGenerator<SealedValue> {
  const read = ({ buildId }: { buildId: string }) => listNotifySecrets(q, buildId, PAGE);
  for await (const { buildId, accountId, sealed } of rowsInPages({ buildId: '' }, read)) {
    const open = () => vault.openBytes(sealed, notifySecretContext(buildId));
    yield { accountId, name: buildId, open };
  }
}
