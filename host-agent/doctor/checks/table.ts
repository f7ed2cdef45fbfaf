// All checks, in the order of the report.
import type { Check } from '../check.js';
import { driverChecks } from './driver.js';
import { guestNetworkChecks } from './guest-network.js';
import { loginChecks } from './login.js';
import { machineChecks } from './machine.js';
import { powerChecks } from './power.js';
import { serviceChecks } from './service.js';
import { updateChecks } from './updates.js';
import { vmToolChecks } from './vm-tool.js';

const [driver, disk, xcode, runtimes, blocked] = driverChecks;

export const checks: readonly Check[] = [
  driver,
  ...vmToolChecks,
  blocked,
  disk,
  xcode,
  runtimes,
  ...machineChecks,
  ...powerChecks,
  ...loginChecks,
  ...updateChecks,
  ...guestNetworkChecks,
  ...serviceChecks,
];
