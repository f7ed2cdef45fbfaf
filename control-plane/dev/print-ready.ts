import { fileURLToPath } from 'node:url';
import { isVirtual } from '../../shared/drivers.js';
import type { DevFile } from './dev-file.js';
import type { DevOptions } from './options.js';

/** A path: npx would look up a bare name in the public registry, where it may be another project's package. */
const COMMAND = fileURLToPath(new URL('../../client/bin.cjs', import.meta.url));

const shellWord = (text: string) => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** Prints one line of JSON with --json, otherwise instructions for a first build. */
export function printReady(file: DevFile, options: DevOptions): void {
  if (options.json) {
    process.stdout.write(`${JSON.stringify(file)}\n`);
    return;
  }
  process.stdout.write(
    [
      '',
      `Cidermill is ready: ${file.site_url}`,
      '',
      `  API        ${file.base_url}`,
      `  key        ${file.api_key}`,
      `  read only  ${file.read_key}`,
      `  sign-in    ${file.email}  ${file.password}`,
      `  data       ${options.data}`,
      '',
      'A first build, in another shell, of any folder:',
      '',
      `  export CIDERMILL_URL=${file.base_url} CIDERMILL_API_KEY=${file.api_key}`,
      `  ${shellWord(COMMAND)} build --dir . --script 'ls -l'`,
      '',
      !isVirtual(options.driver)
        ? 'Builds run as your own user, without isolation: this is for development. Ctrl-C stops the service.'
        : `Builds run in virtual machines of ${options.image}. Ctrl-C stops the service; they keep running.`,
      '',
    ].join('\n'),
  );
}
