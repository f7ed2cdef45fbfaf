// The OpenAPI documents of the three APIs, as served with default limits.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { createControlPlane } from '../../control-plane/index.js';
import type { Json } from './schema.js';

export interface Documents {
  /** The API, for keys. */
  readonly api: Json;
  /** The console's API. */
  readonly console: Json;
  /** The operator API. */
  readonly operator: Json;
}

export async function readDocuments(): Promise<Documents> {
  const dir = mkdtempSync(join(tmpdir(), 'cidermill-reference-'));
  const service = await createControlPlane({
    env: { CIDERMILL_DATA: dir, CIDERMILL_PORT: '0', CIDERMILL_HOST: '127.0.0.1' },
    log: pino({ level: 'silent' }),
  });
  const read = async (root: string) => {
    const answer = await fetch(`${service.siteUrl}${root}/openapi.json?form=full`);
    return (await answer.json()) as Json;
  };
  try {
    return {
      api: await read('/api/v1'),
      console: await read('/api/runner'),
      operator: await read('/api/operator'),
    };
  } finally {
    await service.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}
