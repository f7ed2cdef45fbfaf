import type { Command } from 'commander';
import type { Action } from '../../command.js';
import { addApproveCommand } from './approve.js';
import { addEnrolCommands } from './enroll.js';
import { addListCommand } from './list.js';
import { addMoveCommand } from './move.js';
import { addSettingsCommands } from './settings.js';
import { addShowCommand } from './show.js';
import { addStateCommands } from './states.js';
import { addUpgradeCommand } from './upgrade.js';

export function addHostCommands(program: Command, action: Action): void {
  const host = program.command('host').description('machines that Macs are made on');
  addEnrolCommands(host, action);
  addApproveCommand(host, action);
  addListCommand(host, action);
  addShowCommand(host, action);
  addStateCommands(host, action);
  addSettingsCommands(host, action);
  addUpgradeCommand(host, action);
  addMoveCommand(host, action);
}
