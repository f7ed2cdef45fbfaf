// The licenses of what a package contains.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

export interface Notice {
  /** `name version (license)` */
  readonly title: string;
  readonly text: string;
}

/**
 * Returns name, version and license texts of an installed npm package.
 *
 * @throws Error when it has neither a license file nor a license field
 */
export function noticeOf(root: string, name: string): Notice {
  const folder = join(root, 'node_modules', name);
  const manifest: { version: string; license?: string } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  const files = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|notice)/i.test(file))
    .sort();
  if (files.length === 0 && manifest.license === undefined) throw new Error(`${name} names no license`);
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return {
    title: `${name} ${manifest.version} (${manifest.license ?? 'see below'})`,
    text: texts.join('\n\n'),
  };
}

export function noticesText(notices: readonly Notice[]): string {
  const line = '-'.repeat(80);
  return notices.map(({ title, text }) => `${line}\n${title}\n${line}\n\n${text}\n\n`).join('');
}

/** Returns the names of the npm packages in a bundle. */
export function packagesIn({ inputs }: Metafile): string[] {
  const names = Object.keys(inputs).flatMap(
    (path) => /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(path)?.[1] ?? [],
  );
  return [...new Set(names)].sort();
}
