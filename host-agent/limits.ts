// Every limit of the host agent: what a build may use, how long something lasts or is tried, and how much is kept. Each can
// be set in the agent's configuration. Constants that nobody would tune (buffers, pieces, pauses of loops, limits of a
// format, a file system or an operating system) stay where they are used.
export { type BuildLimits, defaultBuildLimits } from './limits/build.js';
export { type DaemonLimits, defaultDaemonLimits } from './limits/daemon.js';
export { defaultGuestLimits, type GuestLimits } from './limits/guest.js';
export { defaultLinkLimits, type LinkLimits } from './limits/link.js';
export { defaultSoftwareLimits, type SoftwareLimits } from './limits/software.js';
export { defaultSourceLimits, type SourceLimits } from './limits/source.js';
export { defaultVmLimits, type VmLimits } from './limits/vm.js';
