// Finds the installed Xcodes by their property lists, because application names are not reliable.
import { execFile } from 'node:child_process';
import { readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { isErrno } from '../../shared/errno.js';
import type { Inventory } from '../../shared/protocol/index.js';
import { namesIn } from '../system/names-in.js';
import { parsePlist } from '../system/plist.js';

type Xcode = Inventory['xcodes'][number];

/**
 * Returns every `Xcode*.app` of the folder that has a version, oldest version first. An application with two names (a
 * link) counts once. One whose property lists cannot be read is skipped: it may be being copied.
 *
 * @example await findXcodes('/Applications') // [{ version: '26.1', build: '17B55', developer_dir: '/Applications/…' }]
 */
export async function findXcodes(applications: string): Promise<Xcode[]> {
  const found = new Map<string, Xcode>();
  for (const name of namesIn(applications).sort()) {
    if (!/^Xcode.*\.app$/.test(name)) continue;
    const xcode = await readXcode(path.join(applications, name, 'Contents')).catch(() => {
      // Skipped; the next inventory tries again.
      return null;
    });
    if (xcode) found.set(xcode.developer_dir, xcode);
  }
  return [...found.values()].sort((a, b) => a.version.localeCompare(b.version, 'en', { numeric: true }));
}

async function readXcode(contents: string): Promise<Xcode | null> {
  const values = {
    ...(await readPlist(path.join(contents, 'Info.plist'))),
    ...(await readPlist(path.join(contents, 'version.plist'))),
  };
  const version = values.CFBundleShortVersionString;
  if (version === undefined) return null;
  const developer_dir = path.join(await realpath(contents), 'Developer');
  return { version, build: values.ProductBuildVersion ?? null, developer_dir };
}

/** Returns the top-level strings of a property list; empty when there is no such file. */
async function readPlist(file: string): Promise<Record<string, string>> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return {};
    throw error;
  }
  if (bytes.subarray(0, 6).toString('latin1') !== 'bplist') return parsePlist(bytes.toString('utf8'));
  const { stdout } = await promisify(execFile)('/usr/bin/plutil', ['-convert', 'xml1', '-o', '-', file]);
  return parsePlist(stdout);
}
