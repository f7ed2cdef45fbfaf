// Packages of the host agent and the command line, for download.
import { createPackages } from '../packages/app/packages.js';
import type { Base } from './platform.js';

export function composePackages({ config, log }: Base) {
  return { packages: createPackages({ folder: config.packages, built: config.builtClient, log }) };
}
