// A scripted service and a folder, with which tests of the command line begin.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { makePlace } from './place.js';
import { startScriptedService } from './scripted-service.js';

/** A scripted service and a folder of its own for the command, both gone when the test ends. */
export async function setUp(t: Test, files: Record<string, string | Buffer> = { 'a.txt': 'hello' }) {
  const service = await startScriptedService();
  const place = makePlace(service);
  t.teardown(async () => {
    await service.close();
    place.remove();
  });
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(place.project, name, '..'), { recursive: true });
    writeFileSync(join(place.project, name), content);
  }
  return { service, place };
}
