// Every limit of the host agent: what a build may use, how long something lasts or is tried, and how much is kept. Each can
// be set in the agent's configuration. Constants that nobody would tune (buffers, pieces, pauses of loops, limits of a
// format, a file system or an operating system) stay where they are used.

const KiB = 1024;
const MiB = 1024 * KiB;
const GiB = 1024 * MiB;

/** Limits of the source step of a build. */
export interface SourceLimits {
  /** Size of the content cache per account; the least recently used contents are deleted first. */
  contentCacheBytes: number;
  /** Size of all repository mirrors per account. */
  gitMirrorBytes: number;
  /** Contents up to this size are held in memory; larger ones are streamed to disk and cloned. */
  smallContentBytes: number;
  /** Contents per request to the control plane, by number and by total size. */
  blobsPerRequest: number;
  blobBytesPerRequest: number;
  /** Consecutive requests without new contents before the sources count as unavailable. */
  transferAttempts: number;
  /** Answers with wrong contents before the sources count as damaged on the service. */
  transferWrongAnswers: number;
  /** Attempts of a git command that fails because of the network. */
  gitAttempts: number;
  retryBaseMs: number;
  retryMaxMs: number;
  /** A git transfer that is slower than this for this long is aborted. */
  gitSlowBytesPerSecond: number;
  gitSlowSeconds: number;
  /** Maximum nesting of submodules, and number per build. */
  submoduleDepth: number;
  submodules: number;
  /** A mirror's lock that its holder has not renewed for this long is broken. */
  lockStaleMs: number;
}

export const defaultSourceLimits: Readonly<SourceLimits> = {
  contentCacheBytes: 20 * GiB,
  gitMirrorBytes: 20 * GiB,
  smallContentBytes: MiB,
  blobsPerRequest: 10_000,
  blobBytesPerRequest: 512 * MiB,
  // About five minutes: a build survives a restart of the control plane.
  transferAttempts: 300,
  transferWrongAnswers: 3,
  gitAttempts: 4,
  retryBaseMs: 250,
  retryMaxMs: 2_000,
  gitSlowBytesPerSecond: 1000,
  gitSlowSeconds: 60,
  submoduleDepth: 5,
  submodules: 100,
  lockStaleMs: 60_000,
};

/** Limits of running builds. A build process gets them from its daemon. */
export interface BuildLimits {
  /** Build processes in the warm pool. */
  warmProcesses: number;
  /**
   * A process taken from the warm pool is replaced after this time, or when a build ends: starting one takes a third
   * of a second of CPU time, which the new build needs more.
   */
  warmRefillMs: number;
  /** How long the daemon waits for a build process to take over a build, or to answer. */
  handoverMs: number;
  /** A build process that does not answer for this long is killed, and its build has failed. 0: never. */
  hungMs: number;
  terminalColumns: number;
  terminalRows: number;
  /** How long the wrapper waits for its end mark to be read before it exits. */
  endMarkWaitS: number;
  /** Output is masked and written when this many bytes wait … */
  outputBatchBytes: number;
  /** … or this long after the previous batch; the first output after a pause is written at once. */
  outputBatchMs: number;
  /** A batch of this many bytes indicates a flood: the next batch gets this long to fill. */
  outputFloodBytes: number;
  outputFloodMs: number;
  /** Time between SIGTERM and SIGKILL for processes that a script leaves running. */
  leftoverGraceMs: number;
  /** Killing is repeated until no process is left, at most this long. */
  killRoundsMs: number;
  /** Reserved on disk and freed when the disk is full, so that a result can still be written. */
  reserveBytes: number;
  /**
   * With less free space than this, the least recently used work folders are deleted, and until there is enough the
   * host gets no builds. 0: never.
   */
  diskReserveBytes: number;
  /** Interval and number of retries after an error while determining the state of a build. */
  settleRetryMs: number;
  settleAttempts: number;
  /** How often a build process checks that its folder is unchanged. */
  folderCheckMs: number;
  /** A build process that has not stopped this long after the script's grace period is killed. */
  stopMs: number;
  /** A binary artifact larger than this is not scanned for secrets. */
  artifactScanBytes: number;
  /** Maximum entries of a bundle (an .app, a .framework …), which is one artifact. */
  artifactBundleEntries: number;
  /** A stopped build collects artifacts for this long, and keeps those collected by then. */
  stoppedArtifactsMs: number;
}

export const defaultBuildLimits: Readonly<BuildLimits> = {
  warmProcesses: 1,
  warmRefillMs: 5_000,
  handoverMs: 15_000,
  hungMs: 5 * 60_000,
  terminalColumns: 200,
  terminalRows: 50,
  endMarkWaitS: 60,
  outputBatchBytes: 256 * KiB,
  outputBatchMs: 4,
  outputFloodBytes: 16 * KiB,
  outputFloodMs: 25,
  leftoverGraceMs: 1_000,
  killRoundsMs: 15_000,
  reserveBytes: 128 * KiB,
  diskReserveBytes: 2 * GiB,
  settleRetryMs: 5_000,
  settleAttempts: 3,
  folderCheckMs: 2_000,
  stopMs: 60_000,
  artifactScanBytes: 64 * MiB,
  artifactBundleEntries: 100_000,
  stoppedArtifactsMs: 3_000,
};

/** Limits of the work in a guest (a virtual machine). Times in ms. */
export interface GuestLimits {
  /** A short call: listing, signals, small commands. */
  callMs: number;
  /** How long a supervisor may take to signal the processes of its build, before another program does it. */
  signalMs: number;
  /** Making the folders of a build usable, deleting those of others. */
  foldersMs: number;
  /** Output of a script that the guest keeps until this host has it; then the script waits. */
  outputBytes: number;
  /** Output is acknowledged after this many bytes. */
  acknowledgeBytes: number;
  /** A connection on which nothing arrives for this long is replaced. The guest says something every 10 seconds. */
  silentMs: number;
  /** Time between attempts to connect again: exponential between these. */
  retryBaseMs: number;
  retryMaxMs: number;
  /** A guest that could not be reached for this long is lost, and its build with it. */
  lostMs: number;
  /** A guest whose supervisor was killed may be going down: for this long, that is expected to show. */
  goneMs: number;
  /** A build that this host has not followed for this long is ended by the guest. */
  abandonedMs: number;
}

export const defaultGuestLimits: Readonly<GuestLimits> = {
  callMs: 60_000,
  signalMs: 15_000,
  foldersMs: 10 * 60_000,
  outputBytes: 4 * MiB,
  acknowledgeBytes: 256 * KiB,
  silentMs: 45_000,
  retryBaseMs: 50,
  retryMaxMs: 5_000,
  lostMs: 2 * 60_000,
  goneMs: 2_000,
  abandonedMs: 10 * 60_000,
};

/** Limits of the link to the control plane. Times in ms. */
export interface LinkLimits {
  /** Unacknowledged log bytes of one build. */
  outputWindowBytes: number;
  /** Maximum log bytes per frame. */
  outputFrameBytes: number;
  /** No more log is read while this much waits in the socket. */
  socketBufferBytes: number;
  /** While output is in flight, less than half a frame waits this long for more. */
  outputGatherMs: number;
  /** Time before a log that cannot be read is read again. */
  readRetryMs: number;
  /** Reconnection: exponential with full jitter between these. */
  reconnectBaseMs: number;
  reconnectMaxMs: number;
  /** A connection that lasts this long resets the backoff. */
  stableMs: number;
  /** Time between attempts when there is no common protocol version. */
  mismatchRetryMs: number;
  /** Connection, TLS and upgrade; then the same again for the welcome. */
  handshakeMs: number;
  /** How long the control plane may take to complete a close. */
  goodbyeMs: number;
  /** Maximum size of a message from the control plane. */
  messageBytes: number;
  /** Facts that only report activity are sent at most this often. */
  activityMs: number;
  /** A result that is not acknowledged is sent again after this time. */
  finishedRetryMs: number;
  /** Small artifacts are sent together, up to this many and this many bytes per request. */
  artifactBatchFiles: number;
  artifactBatchBytes: number;
  /** A stopped build sends artifacts for this long, and keeps those sent by then. */
  stoppedArtifactsMs: number;
  /** Attempts while the control plane answers that it cannot store artifacts now. */
  artifactAttempts: number;
  /** After this time of such answers a build ends without the artifacts that are left: its Mac is held until then. */
  artifactRefusedMs: number;
  artifactRetryBaseMs: number;
  artifactRetryMaxMs: number;
}

export const defaultLinkLimits: Readonly<LinkLimits> = {
  outputWindowBytes: 4 * MiB,
  outputFrameBytes: 256 * KiB,
  socketBufferBytes: 1 * MiB,
  outputGatherMs: 20,
  readRetryMs: 5_000,
  reconnectBaseMs: 250,
  reconnectMaxMs: 5_000,
  stableMs: 10_000,
  mismatchRetryMs: 5 * 60_000,
  handshakeMs: 10_000,
  goodbyeMs: 2_000,
  messageBytes: 64 * MiB,
  activityMs: 5_000,
  finishedRetryMs: 15_000,
  artifactBatchFiles: 512,
  artifactBatchBytes: 2 * MiB,
  stoppedArtifactsMs: 3_000,
  artifactAttempts: 20,
  artifactRefusedMs: 60_000,
  artifactRetryBaseMs: 500,
  artifactRetryMaxMs: 30_000,
};

/** Limits of the daemon. */
export interface DaemonLimits {
  /** How often the inventory is read. */
  inventoryMs: number;
  /** Backoff for a Mac that could not be created, or a build that could not be started. */
  retryBaseMs: number;
  retryMaxMs: number;
  /** Attempts to start a build before it is reported as failed. */
  startAttempts: number;
  /** Attempts to change a Mac before the failure is reported. */
  changeAttempts: number;
  /** How long a stopping daemon waits for changes of Macs in progress. */
  closingMs: number;
  /** How often the agent checks that its credential and configuration still exist. */
  dataCheckMs: number;
  /** Size at which the agent's log file is rotated, and number of older files kept. */
  logFileBytes: number;
  logFilesKept: number;
}

export const defaultDaemonLimits: Readonly<DaemonLimits> = {
  inventoryMs: 60_000,
  retryBaseMs: 1_000,
  retryMaxMs: 60_000,
  startAttempts: 5,
  changeAttempts: 4,
  closingMs: 5_000,
  dataCheckMs: 2_000,
  logFileBytes: 16 * MiB,
  logFilesKept: 5,
};

/** Limits of drivers that make Macs as virtual machines. Times in ms. */
export interface VmLimits {
  /** How long a short command of the tool (list, set, delete …) may take. */
  commandMs: number;
  /** What is reported about Macs and images does not wait longer than this for the tool, and then is as it last said. */
  answerMs: number;
  cloneMs: number;
  /** A pull that prints nothing for this long is given up: large layers are unpacked without progress. */
  pullSilenceMs: number;
  /** How long a started virtual machine may take until commands run in it. */
  bootMs: number;
  /** How often it is tried during that time, and how long one attempt may take. */
  bootPollMs: number;
  bootAttemptMs: number;
  /** A Mac whose guest has not come up in so many boots is made anew. */
  bootAttempts: number;
  /** An image whose guest can be reached by ssh, but not by the tool itself for this long, is reached by ssh. */
  guestAgentMs: number;
  /** How long a guest that was asked to shut down may take until it is switched off. */
  shutdownMs: number;
  /** How long the tool waits for a virtual machine to end before it kills it, in seconds. */
  stopS: number;
  /** How often the agent looks for Macs that are switched off and for leftovers. */
  watchMs: number;
  /** How often a host that can create no Macs tries again. */
  blockedProbeMs: number;
  /** Disk space that every virtual machine may still take, if its disk is that large. A clone needs room for all of them. */
  growthBytes: number;
  /** Free disk space that fetching an image needs. */
  pullBytes: number;
  /** Free disk space that stays when virtual machines are created. */
  reserveBytes: number;
  /** Guests that are reached by ssh: seconds for a connection; silence of three times `sshAliveS` ends one. */
  sshConnectS: number;
  sshAliveS: number;
  /** The clock of a guest is set when it differs by more than this. */
  clockSkewMs: number;
}

export const defaultVmLimits: Readonly<VmLimits> = {
  commandMs: 60_000,
  answerMs: 5_000,
  cloneMs: 10 * 60_000,
  pullSilenceMs: 30 * 60_000,
  bootMs: 5 * 60_000,
  bootPollMs: 500,
  bootAttemptMs: 15_000,
  bootAttempts: 3,
  guestAgentMs: 60_000,
  shutdownMs: 30_000,
  stopS: 10,
  watchMs: 10_000,
  blockedProbeMs: 60_000,
  growthBytes: 40 * GiB,
  pullBytes: 60 * GiB,
  reserveBytes: 10 * GiB,
  sshConnectS: 10,
  sshAliveS: 5,
  clockSkewMs: 2_000,
};

/** Limits of changes to the software of a Mac that is a virtual machine. Times in ms. */
export interface SoftwareLimits {
  /** A command that is expected to answer at once. */
  commandMs: number;
  /** Each step of a change of Xcode: licence, first launch, shutting down simulators. */
  xcodeStepMs: number;
  /** A download or an import of a simulator runtime, and how long it may print nothing. */
  runtimeMs: number;
  runtimeStallMs: number;
  /** How long a runtime may take to become ready after it was installed, and how often that is checked. */
  runtimeReadyMs: number;
  runtimePollMs: number;
  /** Attempts of a download that fails because the guest's simulator service is not ready, and the pause between them. */
  runtimeAttempts: number;
  runtimeRetryMs: number;
  /** An installation by Homebrew, and how long it may print nothing. */
  toolMs: number;
  toolStallMs: number;
  /** Reading the home folder of an image, or restoring it. */
  homeMs: number;
  /** Maximum size of the contents of small files that are kept to restore a home folder. */
  homeContentBytes: number;
  /** Maximum number of files in the home folder of an image that can be restored. */
  homeFiles: number;
}

export const defaultSoftwareLimits: Readonly<SoftwareLimits> = {
  commandMs: 60_000,
  xcodeStepMs: 15 * 60_000,
  runtimeMs: 3 * 60 * 60_000,
  runtimeStallMs: 15 * 60_000,
  runtimeReadyMs: 15 * 60_000,
  runtimePollMs: 5_000,
  runtimeAttempts: 4,
  runtimeRetryMs: 15_000,
  toolMs: 60 * 60_000,
  toolStallMs: 20 * 60_000,
  homeMs: 5 * 60_000,
  homeContentBytes: 32 * MiB,
  homeFiles: 1_000_000,
};
