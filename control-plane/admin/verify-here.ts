// Verifies the installation of a data folder in this process, whether or not a service is running.
import { join, resolve } from 'node:path';
import { sizeInFiles, sizeInObjects, wrongLogs } from '../builds/app/log-verification.js';
import { knownKeys, namedContents } from '../builds/app/orphan-sweep.js';
import { openObjectStore } from '../compose/objects.js';
import type { Base } from '../compose/platform.js';
import { contentFiles, contentObjects, missingContents } from '../platform/app/content-verification.js';
import { hasObjects } from '../platform/app/object-identity.js';
import { type CheckResult, MOST, verify } from '../start/app/verification.js';
import { UsageError } from './command.js';
import { openBase } from './open-base.js';

/**
 * @param files also looks for every file or object that rows name
 * @throws NoDatabaseError. The package of the command line, which has no database, has an error instead (tools/package).
 */
export async function* verifyHere(data: string, files: boolean): AsyncGenerator<CheckResult, void, undefined> {
  const base = await openBase(resolve(data));
  const { store, clock, realClock } = base;
  try {
    yield* verify({ store, clock, realClock });
    if (files) yield* verifyFiles(base);
  } finally {
    await store.close();
  }
}

async function* verifyFiles(base: Base): AsyncGenerator<CheckResult, void, undefined> {
  const { store, config } = base;
  if ((await hasObjects(store)) !== (config.objects !== null)) {
    throw new UsageError('CIDERMILL_OBJECTS: set it, and what belongs to it, as for the service');
  }
  const objects = config.objects && (await openObjectStore(config.objects, base));
  try {
    const here = objects ? contentObjects(objects) : contentFiles(join(config.data, 'contents'));
    const [named, known] = [namedContents(store), knownKeys(store)];
    for (const kind of ['blobs', 'manifests', 'artifacts'] as const) {
      const missing = await missingContents(here, { kind, named: named[kind], known: known[kind], most: MOST });
      yield {
        name: `stored_${kind}`,
        holds: HOLDS[kind],
        repair:
          kind === 'artifacts'
            ? RESTORE
            : `${RESTORE}; or start the service again: it asks for them with the next upload`,
        contradictions: missing.map(({ place, accountId, contents }) => ({
          subject: place,
          found: `it is missing, with ${contents} of account ${accountId}`,
        })),
      };
    }
    const sizeOf = objects ? sizeInObjects(store, objects) : sizeInFiles(join(config.data, 'logs'));
    yield {
      name: 'stored_logs',
      holds: 'The log of a build that has ended is stored with all its bytes.',
      repair: RESTORE,
      contradictions: (await wrongLogs(store, sizeOf, MOST)).map(({ buildId, counted, stored }) => ({
        subject: buildId,
        found:
          stored === null
            ? `its log of ${counted} bytes is missing`
            : `its log has ${stored} bytes instead of ${counted}`,
      })),
    };
  } finally {
    await objects?.close();
  }
}

const RESTORE = 'restore the file or object from a backup';
const HOLDS = {
  blobs: 'The files of uploads are stored.',
  manifests: 'The lists of files of uploads are stored.',
  artifacts: 'Artifacts are stored.',
} as const;
