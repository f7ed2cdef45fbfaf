// Every limit of the host agent: what a build may use, how long something lasts or is tried, and how much is kept. Each can
// be set in the agent's configuration. Constants that nobody would tune (buffers, pieces, pauses of loops, limits of a
// format, a file system or an operating system) stay where they are used.
const KiB = 1024;
const MiB = 1024 * KiB;
const GiB = 1024 * MiB;

/** Limits of running builds. A build process gets them from its daemon. */
export const defaultBuildLimits = {
  /** Build processes in the warm pool. */
  warmProcesses: 1,
  /**
   * A process taken from the warm pool is replaced after this time, or when a build ends: starting one takes a third
   * of a second of CPU time, which the new build needs more.
   */
  warmRefillMs: 5_000,
  /** How long the daemon waits for a build process to take over a build, or to answer. */
  handoverMs: 15_000,
  /** A build process that does not answer for this long is killed, and its build has failed. 0: never. */
  hungMs: 5 * 60_000,
  terminalColumns: 200,
  terminalRows: 50,
  /** How long the wrapper waits for its end mark to be read before it exits. */
  endMarkWaitS: 60,
  /** After this time without output, a program that waits for keys of the terminal gets the end of its input. */
  inputQuietMs: 5_000,
  /** Output is masked and written when this many bytes wait … */
  outputBatchBytes: 256 * KiB,
  /** … or this long after the previous batch; the first output after a pause is written at once. */
  outputBatchMs: 4,
  /** A batch of this many bytes indicates a flood: the next batch gets this long to fill. */
  outputFloodBytes: 16 * KiB,
  outputFloodMs: 25,
  /** Time between SIGTERM and SIGKILL for processes that a script leaves running. */
  leftoverGraceMs: 1_000,
  /** Killing is repeated until no process is left, at most this long. */
  killRoundsMs: 15_000,
  /** Reserved on disk and freed when the disk is full, so that a result can still be written. */
  reserveBytes: 128 * KiB,
  /**
   * With less free space than this, the least recently used work folders are deleted, and until there is enough the
   * host gets no builds. 0: never.
   */
  diskReserveBytes: 2 * GiB,
  /** Interval and number of retries after an error while determining the state of a build. */
  settleRetryMs: 5_000,
  settleAttempts: 3,
  /** How often a build process checks that its folder is unchanged. */
  folderCheckMs: 2_000,
  /** A build process that has not stopped this long after the script's grace period is killed. */
  stopMs: 60_000,
  /** A binary artifact larger than this is not scanned for secrets. */
  artifactScanBytes: 64 * MiB,
  /** Maximum entries of a bundle (an .app, a .framework …), which is one artifact. */
  artifactBundleEntries: 100_000,
  /** A stopped build collects artifacts for this long, and keeps those collected by then. */
  stoppedArtifactsMs: 3_000,
};
export type BuildLimits = typeof defaultBuildLimits;

/** Limits of the source step of a build. */
export const defaultSourceLimits = {
  /** Size of the content cache per account; the least recently used contents are deleted first. */
  contentCacheBytes: 20 * GiB,
  /** Size of all repository mirrors per account. */
  gitMirrorBytes: 20 * GiB,
  /** Contents up to this size are held in memory; larger ones are streamed to disk and cloned. */
  smallContentBytes: MiB,
  /** Contents per request to the control plane, by number and by total size. */
  blobsPerRequest: 10_000,
  blobBytesPerRequest: 512 * MiB,
  /** Consecutive requests without new contents before the sources count as unavailable. */
  // About fifteen minutes: a build survives a restart of the control plane, and ten minutes without its object store.
  transferAttempts: 900,
  /** Answers with wrong contents before the sources count as damaged on the service. */
  transferWrongAnswers: 3,
  /** Attempts of a git command that fails because of the network. */
  gitAttempts: 4,
  retryBaseMs: 250,
  retryMaxMs: 2_000,
  /** A git transfer that is slower than this for this long is aborted. */
  gitSlowBytesPerSecond: 1000,
  gitSlowSeconds: 60,
  /** Maximum nesting of submodules, and number per build. */
  submoduleDepth: 5,
  submodules: 100,
};
export type SourceLimits = typeof defaultSourceLimits;

/** Limits of the daemon. */
export const defaultDaemonLimits = {
  /** How often the inventory is read. */
  inventoryMs: 60_000,
  /** How often the doctor's checks are run, and the least time between two rounds, however often something changes. */
  healthMs: 15 * 60_000,
  healthPauseMs: 30_000,
  /** Backoff for a Mac that could not be created, or a build that could not be started. */
  retryBaseMs: 1_000,
  retryMaxMs: 60_000,
  /** Attempts to start a build before it is reported as failed. */
  startAttempts: 5,
  /** Attempts to change a Mac before the failure is reported. */
  changeAttempts: 4,
  /** How long a stopping daemon waits for changes of Macs in progress. */
  closingMs: 5_000,
  /** How often the agent checks that its credential and configuration still exist. */
  dataCheckMs: 2_000,
  /** Size at which the agent's log file is rotated, and number of older files kept. */
  logFileBytes: 16 * MiB,
  logFilesKept: 5,
  /** How long the service at another address may take to prove that it knows the host, and then to welcome it. */
  moveProofMs: 15_000,
  moveTrialMs: 30_000,
  /** Time between attempts to move, doubled each time up to the second. */
  moveRetryMs: 30_000,
  moveRetryMaxMs: 10 * 60_000,
  /** After a move: returns when the new address does not answer for the first time, until the second is over. */
  moveReturnAfterMs: 5 * 60_000,
  moveReturnMs: 24 * 3_600_000,
  /** How long an upgrade may download its package, over any interruptions. */
  upgradeDownloadMs: 30 * 60_000,
  /** How long the program of a new version may take to print its version. */
  upgradeCheckMs: 30_000,
  /** How long an upgrade waits until no Mac is created or changed. */
  upgradeMacsMs: 10 * 60_000,
  /** How long a new version may take until the service has welcomed it, and starts it may need; else the old one returns. */
  upgradeTrialMs: 60_000,
  upgradeStarts: 3,
};
export type DaemonLimits = typeof defaultDaemonLimits;

/** Limits of the link to the control plane. Times in ms. */
export const defaultLinkLimits = {
  /** Unacknowledged log bytes of one build. */
  outputWindowBytes: 4 * MiB,
  /** Maximum log bytes per frame. */
  outputFrameBytes: 256 * KiB,
  /** No more log is read while this much waits in the socket. */
  socketBufferBytes: 1 * MiB,
  /** While output is in flight, less than half a frame waits this long for more. */
  outputGatherMs: 20,
  /** Time before a log that cannot be read is read again. */
  readRetryMs: 5_000,
  /** Reconnection: exponential with full jitter between these. */
  reconnectBaseMs: 250,
  reconnectMaxMs: 5_000,
  /** A connection that lasts this long resets the backoff. */
  stableMs: 10_000,
  /** Time between attempts when there is no common protocol version. */
  mismatchRetryMs: 5 * 60_000,
  /** Connection, TLS and upgrade; then the same again for the welcome. */
  handshakeMs: 10_000,
  /** How long the control plane may take to complete a close. */
  goodbyeMs: 2_000,
  /** Maximum size of a message from the control plane. */
  messageBytes: 64 * MiB,
  /** Facts that only report activity are sent at most this often. */
  activityMs: 5_000,
  /** A result that is not acknowledged is sent again after this time. */
  finishedRetryMs: 15_000,
  /** Small artifacts are sent together, up to this many and this many bytes per request. */
  artifactBatchFiles: 512,
  artifactBatchBytes: 2 * MiB,
  /** A stopped build sends artifacts for this long, and keeps those sent by then. */
  stoppedArtifactsMs: 3_000,
  /** Attempts while the control plane answers that it cannot store artifacts now. */
  artifactAttempts: 20,
  /** After this time of such answers a build ends without the artifacts that are left: its Mac is held until then. */
  artifactRefusedMs: 60_000,
  /** The same while the control plane cannot reach its object store. */
  artifactAwayMs: 30 * 60_000,
  artifactRetryBaseMs: 500,
  artifactRetryMaxMs: 30_000,
};
export type LinkLimits = typeof defaultLinkLimits;

/** Limits of the work in a guest (a virtual machine). Times in ms. */
export const defaultGuestLimits = {
  /** A short call: listing, signals, small commands. */
  callMs: 60_000,
  /** How long a supervisor may take to signal the processes of its build, before another program does it. */
  signalMs: 15_000,
  /** Making the folders of a build usable, deleting those of others. */
  foldersMs: 10 * 60_000,
  /** Output of a script that the guest keeps until this host has it; then the script waits. */
  outputBytes: 4 * MiB,
  /** Output is acknowledged after this many bytes. */
  acknowledgeBytes: 256 * KiB,
  /** A connection on which nothing arrives for this long is replaced. The guest says something every 10 seconds. */
  silentMs: 45_000,
  /** Time between attempts to connect again: exponential between these. */
  retryBaseMs: 50,
  retryMaxMs: 5_000,
  /** A guest that could not be reached for this long is lost, and so is its build. */
  lostMs: 2 * 60_000,
  /** After a supervisor was killed, how long the guest may take to show that it is shutting down. */
  goneMs: 2_000,
  /** A build that this host has not followed for this long is ended by the guest. */
  abandonedMs: 10 * 60_000,
  /** After this time without output, a program that waits for keys of the terminal gets the end of its input. */
  inputQuietMs: 5_000,
};
export type GuestLimits = typeof defaultGuestLimits;

/** Limits of changes to the software of a Mac that is a virtual machine. Times in ms. */
export const defaultSoftwareLimits = {
  /** A command that is expected to answer at once. */
  commandMs: 60_000,
  /** Each step of a change of Xcode: license, first launch, shutting down simulators. */
  xcodeStepMs: 15 * 60_000,
  /** A download or an import of a simulator runtime, and how long it may print nothing. */
  runtimeMs: 3 * 60 * 60_000,
  runtimeStallMs: 15 * 60_000,
  /** How long a runtime may take to become ready after it was installed, and how often that is checked. */
  runtimeReadyMs: 15 * 60_000,
  runtimePollMs: 5_000,
  /** Attempts of a download that fails because the guest's simulator service is not ready, and the pause between them. */
  runtimeAttempts: 4,
  runtimeRetryMs: 15_000,
  /** An installation by Homebrew, and how long it may print nothing. */
  toolMs: 60 * 60_000,
  toolStallMs: 20 * 60_000,
  /** Reading the home folder of an image, or restoring it. */
  homeMs: 5 * 60_000,
  /** Maximum size of the contents of small files that are kept to restore a home folder. */
  homeContentBytes: 32 * MiB,
  /** Maximum number of files in the home folder of an image that can be restored. */
  homeFiles: 1_000_000,
};
export type SoftwareLimits = typeof defaultSoftwareLimits;

/** Limits of drivers that make Macs as virtual machines. Times in ms. */
export const defaultVmLimits = {
  /** How long a short command of the tool (list, set, delete …) may take. */
  commandMs: 60_000,
  /** Reports about Macs and images wait this long for the tool, then use its last answer. */
  answerMs: 5_000,
  cloneMs: 10 * 60_000,
  /** A pull that prints nothing for this long is given up: large layers are unpacked without progress. */
  pullSilenceMs: 30 * 60_000,
  /** How long a started virtual machine may take until commands run in it. */
  bootMs: 5 * 60_000,
  /** How often it is tried during that time, and how long one attempt may take. */
  bootPollMs: 500,
  bootAttemptMs: 15_000,
  /** A Mac whose guest has not come up in this many boots is recreated. */
  bootAttempts: 3,
  /** An image whose guest can be reached by ssh, but not by the tool itself for this long, is reached by ssh. */
  guestAgentMs: 60_000,
  /** How long a guest that was asked to shut down may take until it is switched off. */
  shutdownMs: 30_000,
  /** How long the tool waits for a virtual machine to end before it kills it, in seconds. */
  stopS: 10,
  /** How often the agent looks for Macs that are switched off and for leftovers. */
  watchMs: 10_000,
  /** An image of which no Mac could be made, because of what is in it, is tried again after this time. */
  unusableMs: 10 * 60_000,
  /** How often a host that cannot create Macs tries again. */
  blockedProbeMs: 60_000,
  /** Disk space that every virtual machine may still take, if its disk is that large. A clone needs room for all of them. */
  growthBytes: 40 * GiB,
  /** Free disk space that fetching an image needs. */
  pullBytes: 60 * GiB,
  /** Free disk space that stays when virtual machines are created. */
  reserveBytes: 10 * GiB,
  /** Guests that are reached by ssh: seconds for a connection; silence of three times `sshAliveS` ends one. */
  sshConnectS: 10,
  sshAliveS: 5,
  /** The clock of a guest is set when it differs by more than this. */
  clockSkewMs: 2_000,
};
export type VmLimits = typeof defaultVmLimits;
