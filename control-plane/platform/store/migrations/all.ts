import type { Migration } from '../migrate.js';
import { schema } from './0054-schema.js';
import { messages } from './0055-messages.js';
import { failureMessages } from './0056-failure-messages.js';
import { operatorMessages } from './0057-operator-messages.js';
import { machinesOfHosts } from './0058-machines-of-hosts.js';
import { creditPaymentsOfOrders } from './0059-credit-payments.js';
import { namesOfMacs } from './0060-names-of-macs.js';
import { passwordResets } from './0061-password-resets.js';
import { secondFactors } from './0062-second-factors.js';
import { passkeysOfPeople } from './0063-passkeys.js';
import { titlesOfCommits } from './0064-titles-of-commits.js';
import { identitiesOfPeople } from './0065-identities.js';

/** Every migration, oldest first. Released ones are never edited; a change is a new one. */
export const migrations: readonly Migration[] = [
  schema,
  messages,
  failureMessages,
  operatorMessages,
  machinesOfHosts,
  creditPaymentsOfOrders,
  namesOfMacs,
  passwordResets,
  secondFactors,
  passkeysOfPeople,
  titlesOfCommits,
  identitiesOfPeople,
];
