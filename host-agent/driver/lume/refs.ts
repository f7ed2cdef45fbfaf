// Names of images as lume's command line takes them: registry, organization, and name with tag.
import { imageError } from '../../../shared/messages/image-errors.js';
import { VmToolError } from '../vm/tool.js';

export interface ImageRef {
  readonly registry: string;
  readonly organization: string;
  readonly name: string;
  readonly tag: string;
  /** Without tag and digest. */
  readonly repository: string;
}

/**
 * @example parseRef('ghcr.io/acme/macos:26') // { registry: 'ghcr.io', organization: 'acme', name: 'macos', tag: '26', … }
 * @throws VmToolError `image_not_found` for a name without registry or owner, and for one with a digest
 */
export function parseRef(ref: string): ImageRef {
  const [, registry, organization, name, tag = 'latest'] =
    /^([^/@]+)\/([^:@]+)\/([^/:@]+)(?::([^/:@]+))?$/.exec(ref) ?? [];
  if (registry === undefined || organization === undefined || name === undefined) {
    throw new VmToolError('image_not_found', imageError('not_for_lume', { image: ref }));
  }
  return { registry, organization, name, tag, repository: `${registry}/${organization}/${name}` };
}
