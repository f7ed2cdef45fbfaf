// The driver that the configuration names.
import { isVirtual } from '../../shared/drivers.js';
import type { DriverSpec } from '../driver/driver.js';
import { vmToolOf } from '../driver/vm-tools.js';
import type { AgentConfig } from './agent-config.js';
import { MOST_VIRTUAL_MACS, slotsOf } from './config.js';

export interface ConfiguredDriver {
  readonly spec: DriverSpec;
  /** The password of the images' user, which only this process needs; null: the driver has none. */
  readonly password: string | null;
}

/** @param env of this process: tart's own variable counts where the configuration names no folder */
export function driverOf(
  config: AgentConfig,
  dataDir: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): ConfiguredDriver {
  const { driver: kind, applications_dir } = config;
  if (!isVirtual(kind)) return { spec: { kind, data_dir: dataDir, applications_dir }, password: null };
  const common = {
    data_dir: dataDir,
    limits: given(config.limits.vm),
    guest_limits: given(config.limits.guest),
    software_limits: given(config.limits.software),
    slots: slotsOf(config) ?? MOST_VIRTUAL_MACS,
  };
  const { password, ...settings } = config[kind];
  return { spec: { kind, ...common, ...settings, ...vmToolOf(kind).settings(config[kind], env) }, password };
}

/** Returns the limits that are set. */
function given(limits: Readonly<Record<string, number | undefined>> = {}): Record<string, number> {
  const isSet = (entry: [string, number | undefined]): entry is [string, number] => entry[1] !== undefined;
  return Object.fromEntries(Object.entries(limits).filter(isSet));
}
