// Images for which hosts report different contents, for /healthz.
import { listHosts } from '../../hosts/app/hosts.js';
import type { Degradation } from '../../platform/domain/degradation.js';
import type { Queries } from '../../platform/store/sql.js';
import { readDifferingImages } from '../store/images.js';

/**
 * Returns a line for each host that reports other contents of its tier's image than the host that was first. One of the
 * two is wrong, so the catalog may offer versions that Macs do not have.
 */
export async function imageDegradations(store: Queries): Promise<Degradation[]> {
  const differing = await readDifferingImages(store);
  if (differing.size === 0) return [];
  const hosts = (await listHosts(store)).filter(({ status, hostId }) => status !== 'removed' && differing.has(hostId));
  return hosts.map(({ hostId, name, tier }) => ({
    name: 'image_offers',
    message: `Host ${name} (${hostId}) reports other contents of the image of tier ${tier} than the host that reported them first. Compare them with \`admin image show ${tier}\`; values given to \`tier edit\` replace what hosts report.`,
  }));
}
