// What `cidermill/host-agent` offers to other programs.
export { createHostAgent, type HostAgent, type HostAgentOptions } from './compose.js';
export { type AgentConfigInput, ConfigError } from './config.js';
export { type EnrolOptions, enrolHost, NotEnrolledError } from './enrolment.js';
export { LockedError } from './lock.js';
