import type { Migration } from '../migrate.js';
import { mainJob } from './0001-main-job.js';
import { renting } from './0002-renting.js';
import { webhooks } from './0003-webhooks.js';
import { workspaceOfAccount } from './0004-workspace-of-account.js';
import { repairs } from './0005-repairs.js';
import { refundsAndGrants } from './0006-refunds-and-grants.js';
import { buildHistory } from './0007-build-history.js';
import { checkedOutCommit } from './0008-checked-out-commit.js';
import { xcodesOfHosts } from './0009-xcodes-of-hosts.js';
import { columnNames } from './0010-column-names.js';
import { macsAndRentals } from './0011-macs-and-rentals.js';
import { hoursOfGrants } from './0012-hours-of-grants.js';
import { delayedRepairs } from './0013-delayed-repairs.js';
import { accountLimits } from './0014-account-limits.js';
import { rowsOfOneAccount } from './0015-rows-of-one-account.js';
import { unpaidOrders } from './0016-unpaid-orders.js';
import { accountUsage } from './0017-account-usage.js';
import { retention } from './0018-retention.js';
import { auditLog } from './0019-audit-log.js';
import { plainNames } from './0020-plain-names.js';
import { severalWorkspaces } from './0021-workspaces.js';
import { accessRevision } from './0022-access-revision.js';
import { listsOfBuilds } from './0023-lists-of-builds.js';
import { images } from './0024-images.js';
import { imageOfAMac } from './0025-image-of-a-mac.js';
import { movesOfHosts } from './0026-moves-of-hosts.js';
import { healthOfHosts } from './0027-health-of-hosts.js';
import { upgradesOfHosts } from './0028-upgrades-of-hosts.js';
import { labelsOfHosts } from './0029-labels-of-hosts.js';
import { clocksOfHosts } from './0030-clocks-of-hosts.js';
import { enrolment } from './0031-enrolment.js';
import { rollouts } from './0032-rollouts.js';
import { operatorNotices } from './0033-operator-notices.js';
import { linksOfHosts } from './0034-links-of-hosts.js';
import { labelsOfBuilds } from './0035-labels-of-builds.js';
import { statesOfMacs } from './0036-states-of-macs.js';
import { confirmedSessions } from './0037-confirmed-sessions.js';
import { rerunsOfBuilds } from './0038-reruns-of-builds.js';
import { topUps } from './0039-top-ups.js';
import { readNotices } from './0040-read-notices.js';
import { operatorReads } from './0041-operator-reads.js';
import { people } from './0042-people.js';
import { stepsOfBuilds } from './0043-steps-of-builds.js';
import { projectsOfBuilds } from './0044-projects-of-builds.js';
import { languagesOfPeople } from './0045-languages-of-people.js';
import { linksOfBuilds } from './0046-links-of-builds.js';
import { settlementsByHand } from './0047-settlements-by-hand.js';
import { sealedMails } from './0048-sealed-mails.js';
import { eventsOfAnySubject } from './0049-events-of-any-subject.js';
import { scriptsStoredOnce } from './0050-scripts-stored-once.js';
import { credentialConflicts } from './0051-credential-conflicts.js';
import { makingOfMacs } from './0052-making-of-macs.js';
import { records } from './0053-records.js';
import { executableArtifacts } from './0054-executable-artifacts.js';
import { messages } from './0055-messages.js';
import { failureMessages } from './0056-failure-messages.js';

/** Every migration, oldest first. Released ones are never edited; a change is a new one. */
export const migrations: readonly Migration[] = [
  mainJob,
  renting,
  webhooks,
  workspaceOfAccount,
  repairs,
  refundsAndGrants,
  buildHistory,
  checkedOutCommit,
  xcodesOfHosts,
  columnNames,
  macsAndRentals,
  hoursOfGrants,
  delayedRepairs,
  accountLimits,
  rowsOfOneAccount,
  unpaidOrders,
  accountUsage,
  retention,
  auditLog,
  plainNames,
  severalWorkspaces,
  accessRevision,
  listsOfBuilds,
  images,
  imageOfAMac,
  movesOfHosts,
  healthOfHosts,
  upgradesOfHosts,
  labelsOfHosts,
  clocksOfHosts,
  enrolment,
  rollouts,
  operatorNotices,
  linksOfHosts,
  labelsOfBuilds,
  statesOfMacs,
  confirmedSessions,
  rerunsOfBuilds,
  topUps,
  readNotices,
  operatorReads,
  people,
  stepsOfBuilds,
  projectsOfBuilds,
  languagesOfPeople,
  linksOfBuilds,
  settlementsByHand,
  sealedMails,
  eventsOfAnySubject,
  scriptsStoredOnce,
  credentialConflicts,
  makingOfMacs,
  records,
  executableArtifacts,
  messages,
  failureMessages,
];
