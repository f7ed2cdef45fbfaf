// Rules for artifact names, shared by host, control plane and clients that save artifacts.
import { isMetadataName } from './metadata-name.js';

/** Maximum length of an artifact name, in bytes of UTF-8. */
export const LONGEST_ARTIFACT_NAME = 1024;

const UNPAIRED = /\p{Surrogate}/u;
const CONTROL = /[\u0000-\u001f\u007f]/;

/**
 * Returns why a path cannot be an artifact name, as the end of a sentence; null when it can.
 *
 * @example badArtifactName('repo/.git/config') // 'has a ".git" part, which belongs to version control'
 */
export function badArtifactName(name: string): string | null {
  if (name === '') return 'is empty';
  if (utf8Length(name) > LONGEST_ARTIFACT_NAME) return `is longer than ${LONGEST_ARTIFACT_NAME} bytes`;
  if (CONTROL.test(name)) return 'has a control character';
  if (UNPAIRED.test(name)) return 'is not valid Unicode';
  for (const part of name.split('/')) {
    if (part === '') return 'has an empty part or is absolute';
    if (part === '.' || part === '..') return `has a "${part}" part`;
    if (isMetadataName(part)) return `has a ${JSON.stringify(part)} part, which belongs to version control`;
  }
  return null;
}

const utf8Length = (text: string) => new TextEncoder().encode(text).length;
