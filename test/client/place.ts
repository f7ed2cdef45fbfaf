// Where a command runs: a home and a project folder.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KEY, type ScriptedService } from './scripted-service.js';

export interface Place {
  /** A folder of its own; also the home, so that nothing of this machine's person is seen. */
  root: string;
  /** The folder the command runs in. */
  project: string;
  env: NodeJS.ProcessEnv;
  remove(): void;
}

/** A home and a project folder, and an environment that points to the service (none: nothing configured). */
export function makePlace(service: Pick<ScriptedService, 'url'> | null): Place {
  const root = mkdtempSync(join(tmpdir(), 'cidermill-client-'));
  const project = join(root, 'project');
  mkdirSync(project);
  const env: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    HOME: root,
    TMPDIR: root,
    XDG_CACHE_HOME: join(root, 'cache'),
    XDG_CONFIG_HOME: join(root, 'config'),
    ...(service ? { CIDERMILL_URL: service.url, CIDERMILL_API_KEY: KEY } : {}),
  };
  // Waiting build processes of a service end a moment after it, and may still write.
  const remove = () => rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  return { root, project, env, remove };
}
