// Rules for artifact names, shared by host, control plane and clients that save artifacts: the rules of upload paths,
// plus stricter ones, because the names are shown and saved by others.
import { isMetadataName } from './metadata-name.js';
import { badPath } from './source-path.js';

/** Maximum length of an artifact name, in bytes of UTF-8. */
export const LONGEST_ARTIFACT_NAME = 1024;

/**
 * Control characters, line separators, unpaired surrogates, and characters that change the text direction. Other
 * invisible characters occur in ordinary names, e.g. to join emoji.
 */
const MISLEADING = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
const ALL_MISLEADING = new RegExp(MISLEADING, 'gu');

/**
 * Returns why a path cannot be an artifact name, as the end of a sentence; null when it can.
 *
 * @example badArtifactName('repo/.hg/hgrc') // 'has a ".hg" part, which belongs to version control'
 */
export function badArtifactName(name: string): string | null {
  if (name.length <= LONGEST_ARTIFACT_NAME) {
    const metadata = name.split('/').find(isMetadataName);
    if (metadata !== undefined) return `has a ${JSON.stringify(metadata)} part, which belongs to version control`;
  }
  const bad = badPath(name, LONGEST_ARTIFACT_NAME);
  if (bad !== null) return bad;
  return MISLEADING.test(name) ? 'has a control character, or one that changes the direction of text' : null;
}

/** Returns the name in normalization form C, with forbidden characters replaced. */
export const plainName = (name: string): string => name.replace(ALL_MISLEADING, '\ufffd').normalize('NFC');
