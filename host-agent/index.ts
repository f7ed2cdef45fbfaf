// What `cidermill/host-agent` offers to other programs.
export { createHostAgent, type HostAgent, type HostAgentOptions } from './compose.js';
export type { AgentConfigInput } from './daemon/agent-config.js';
export { ConfigError } from './daemon/config.js';
export {
  AlreadyEnrolledError,
  type ApprovalOptions,
  type EnrolOptions,
  enrolByApproval,
  enrolHost,
  NotEnrolledError,
} from './daemon/enrolment.js';
export { LockedError } from './system/lock.js';
