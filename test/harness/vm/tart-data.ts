// The data folder of a service whose host has the driver tart, for `startService`.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The disk of a machine that runs tests is smaller than one with images of macOS. */
export function tartDataFolder(): string {
  const data = mkdtempSync(join(tmpdir(), 'cidermill-service-'));
  mkdirSync(join(data, 'host'), { mode: 0o700 });
  const vm = { pullBytes: 1, growthBytes: 1, reserveBytes: 1 };
  const config = { control_plane: 'http://127.0.0.1', driver: 'tart', log_level: 'warn', limits: { vm } };
  writeFileSync(join(data, 'host/agent.json'), JSON.stringify(config));
  return data;
}
