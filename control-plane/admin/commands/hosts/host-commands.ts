import type { Command } from 'commander';
import type { Cli } from '../../command.js';
import { addApproveCommand } from './approve.js';
import { addEnrollCommands } from './enroll.js';
import { addListCommand } from './list.js';
import { addMoveCommand } from './move.js';
import { addSettingsCommands } from './settings.js';
import { addShowCommand } from './show.js';
import { addStateCommands } from './states.js';
import { addUpgradeCommand } from './upgrade.js';

export function addHostCommands(program: Command, cli: Cli): void {
  const host = program.command('host').description('machines on which Macs run');
  addEnrollCommands(host, cli);
  addApproveCommand(host, cli);
  addListCommand(host, cli);
  addShowCommand(host, cli);
  addStateCommands(host, cli);
  addSettingsCommands(host, cli);
  addUpgradeCommand(host, cli);
  addMoveCommand(host, cli);
}
