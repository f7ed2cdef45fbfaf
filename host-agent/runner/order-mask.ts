import { stat } from 'node:fs/promises';
import { secretBytes } from '../../shared/protocol/index.js';
import type { StartOrder } from '../contract/control.js';
import { defaultBuildLimits } from '../limits.js';
import type { BuildMask } from './build-mask.js';
import { compileNeedles, createMasker, maskText } from './mask/masker.js';
import { looksLikeText, scanBytes, scanFile } from './mask/scan-file.js';

/** Returns the masking of the secrets in a start message. */
export function maskFor({ secrets, limits }: Pick<StartOrder, 'secrets' | 'limits'>): BuildMask {
  const compiled = compileNeedles(secrets.map((secret) => ({ name: secret.name, value: secretBytes(secret) })));
  const { artifactScanBytes } = { ...defaultBuildLimits, ...limits };
  return {
    stream: () => createMasker(compiled),
    text: (text) => maskText(text, compiled),
    scanBytes: (content) => scanBytes(content, compiled),
    async scanFile(file) {
      const { size } = await stat(file);
      return size <= artifactScanBytes || (await looksLikeText(file)) ? scanFile(file, compiled) : [];
    },
  };
}
