// Every command of `cidermill admin`, in the order of its help.
import type { Command } from 'commander';
import type { Cli } from '../command.js';
import { addAuditCommand } from './audit.js';
import { addCreditCommands } from './credit.js';
import { addHostCommands } from './hosts/host-commands.js';
import { addImageCommands } from './images.js';
import { addKeyCommands } from './keys.js';
import { addMaintenanceCommands } from './maintenance.js';
import { addMemberCommands } from './members.js';
import { addMigrateCommand } from './migrate.js';
import { addNoticeCommands } from './notices.js';
import { addOrderCommands } from './orders.js';
import { addOrganizationCommands } from './organizations.js';
import { addPaymentCommands } from './payments.js';
import { addProcessCommands } from './processes.js';
import { addRentalCommands } from './rentals.js';
import { addTierCommands } from './tiers.js';
import { addUserCommands } from './users.js';
import { addVerifyCommand } from './verify.js';
import { addWorkspaceCommands } from './workspaces.js';

export function addCommands(program: Command, cli: Cli): void {
  addOrganizationCommands(program, cli);
  addUserCommands(program, cli);
  addMemberCommands(program, cli);
  addWorkspaceCommands(program, cli);
  addKeyCommands(program, cli);
  addTierCommands(program, cli);
  addHostCommands(program, cli);
  addImageCommands(program, cli);
  addNoticeCommands(program, cli);
  addOrderCommands(program, cli);
  addPaymentCommands(program, cli);
  addCreditCommands(program, cli);
  addRentalCommands(program, cli);
  addProcessCommands(program, cli);
  addMaintenanceCommands(program, cli);
  addMigrateCommand(program, cli);
  addVerifyCommand(program, cli);
  addAuditCommand(program, cli);
}
