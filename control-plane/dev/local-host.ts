// The host of `cidermill dev`, this machine: enrolled once over HTTP like any host; later runs only update its server address.

import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { DEFAULT_DRIVER, type DriverName, isVirtual } from '../../shared/drivers.js';
import { readJson, writeDurably } from '../../shared/durable-file.js';
import { enrolResponse } from '../../shared/protocol/index.js';
import type { Hosts } from '../hosts/app/hosts.js';
import { StartError } from '../start-error.js';
import { DEV_TIER } from './seed.js';

const credentialFile = z.looseObject({ control_plane: z.string(), host_id: z.string() });
const configFile = z.looseObject({ control_plane: z.string(), driver: z.string().default(DEFAULT_DRIVER) });

/** @throws StartError when the folder's host has another driver */
export async function enrolLocalHost(options: {
  hostData: string;
  driver: DriverName;
  siteUrl: string;
  hosts: Hosts;
  slots: number;
}): Promise<{ hostId: string; isNew: boolean }> {
  const { hostData, driver, siteUrl, hosts, slots } = options;
  mkdirSync(hostData, { recursive: true, mode: 0o700 });
  const credentialPath = join(hostData, 'credential.json');
  const configPath = join(hostData, 'agent.json');
  const known = credentialFile.safeParse(readJson(credentialPath)).data;
  const present = known ? (await hosts.list()).find((host) => host.hostId === known.host_id) : undefined;
  const config = configFile.safeParse(readJson(configPath)).data ?? {
    driver,
    allow_unisolated: !isVirtual(driver),
    // Agents of one user with the same prefix would delete each other's virtual machines as leftovers.
    ...(isVirtual(driver) ? { [driver]: { name_prefix: `cidermill-dev-${randomBytes(3).toString('hex')}-` } } : {}),
    log_level: 'warn',
  };
  if (config.driver !== driver) {
    const message = `the host in ${hostData} uses the driver ${config.driver}; give --driver ${config.driver}, or another --data`;
    throw new StartError(message);
  }
  writeJson(configPath, { ...config, control_plane: siteUrl });
  if (known && present && present.status !== 'removed') {
    // The port may have changed since the last run.
    writeJson(credentialPath, { ...known, control_plane: siteUrl });
    return { hostId: known.host_id, isNew: false };
  }
  const { token } = await hosts.createEnrolment({ name: 'local', tier: DEV_TIER, slots: Math.max(1, slots) });
  const answer = await fetch(`${siteUrl}/link/v1/enrol`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, hostname: 'local' }),
  });
  if (!answer.ok) throw new Error(`the local host could not be enrolled: ${answer.status} ${await answer.text()}`);
  const enrolled = enrolResponse.parse(await answer.json());
  writeJson(credentialPath, { control_plane: siteUrl, ...enrolled });
  return { hostId: enrolled.host_id, isNew: true };
}

function writeJson(path: string, content: object): void {
  writeDurably(path, `${JSON.stringify(content, null, 2)}\n`);
}
