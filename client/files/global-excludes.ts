// The ignore files that are not part of a folder: the person's own, and the repository's private one.
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Content of a text file; null when it cannot be read. */
export function readOptional(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null; // Absent or unreadable ignore files count as empty, as for git.
  }
}

/** The person's own excludes: `core.excludesFile` of their git configuration, or git's default place. */
export function globalExcludes(env: NodeJS.ProcessEnv): string {
  const home = env.HOME || homedir();
  const configHome = env.XDG_CONFIG_HOME || join(home, '.config');
  const configs = env.GIT_CONFIG_GLOBAL
    ? [env.GIT_CONFIG_GLOBAL]
    : [join(configHome, 'git', 'config'), join(home, '.gitconfig')];
  let file = join(configHome, 'git', 'ignore');
  for (const config of configs) file = excludesFileOf(readOptional(config) ?? '', home) ?? file;
  return readOptional(file) ?? '';
}

function excludesFileOf(config: string, home: string): string | null {
  let inCore = false;
  let found: string | null = null;
  for (const line of config.split('\n')) {
    const section = /^\s*\[\s*([^\]"]*?)\s*(".*")?\s*\]/.exec(line);
    if (section) inCore = section[1]!.toLowerCase() === 'core' && section[2] === undefined;
    const value = /^\s*excludesfile\s*=\s*(?:"([^"]*)"|([^#;]*?))\s*(?:[#;].*)?$/i.exec(line);
    if (inCore && value) found = value[1] ?? value[2] ?? null;
  }
  return found?.startsWith('~/') ? join(home, found.slice(2)) : found;
}
