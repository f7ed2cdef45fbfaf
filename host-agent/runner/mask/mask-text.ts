// Masks secrets in a complete text: a failure's summary and location, a file name, an error message.
import type { CompiledSecrets } from './masker.js';
import { createMasker } from './masker.js';

/**
 * Returns the text with every secret replaced by `***`. Mask before truncating a text: half a secret is not found.
 *
 * @example maskText('bad key hunter22', compileNeedles([{ name: 'KEY', value: 'hunter22' }])) // 'bad key ***'
 */
export function maskText(text: string, secrets: CompiledSecrets): string {
  const masker = createMasker(secrets);
  return Buffer.concat([masker.write(Buffer.from(text)), masker.end()]).toString();
}
