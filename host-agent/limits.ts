// Every number that the host agent is bound by. Each can be replaced by the agent's configuration.

const KiB = 1024;
const MiB = 1024 * KiB;
const GiB = 1024 * MiB;

/** What bounds the source step of a build. */
export interface SourceLimits {
  /** Size of the content cache of one account on one host; the least recently used contents leave first. */
  contentCacheBytes: number;
  /** Size of all repository mirrors of one account on one host. */
  gitMirrorBytes: number;
  /** Contents up to this size go through memory whole; larger ones are streamed to disk and cloned from there. */
  smallContentBytes: number;
  /** Contents asked for in one request to the control plane, by number and by sum of their sizes. */
  blobsPerRequest: number;
  blobBytesPerRequest: number;
  /** Requests in a row that bring nothing new before the sources count as unavailable. */
  transferAttempts: number;
  /** Answers with other contents than were asked for, before the sources count as wrong at the service itself. */
  transferWrongAnswers: number;
  /** Attempts of a git command that failed for the network. */
  gitAttempts: number;
  retryBaseMs: number;
  retryMaxMs: number;
  /** A git transfer slower than this for this long is given up. */
  gitSlowBytesPerSecond: number;
  gitSlowSeconds: number;
  /** Submodules inside submodules, and submodules of one build. */
  submoduleDepth: number;
  submodules: number;
  /** A mirror's lock whose holder has given no sign of life for this long is taken over. */
  lockStaleMs: number;
}

export const defaultSourceLimits: Readonly<SourceLimits> = {
  contentCacheBytes: 20 * GiB,
  gitMirrorBytes: 20 * GiB,
  smallContentBytes: MiB,
  blobsPerRequest: 10_000,
  blobBytesPerRequest: 512 * MiB,
  // About five minutes: a build outlives a restart of the control plane, and one that takes its time.
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

/** What bounds the running of builds. A build process gets them from its daemon. */
export interface BuildLimits {
  /** Build processes that wait, booted, for the next build. */
  warmProcesses: number;
  /**
   * A used spare is replaced after this time, or when a build ends: its boot takes a third of a second of processor
   * time, which the build that it made room for needs more at its beginning.
   */
  warmRefillMs: number;
  /** How long the daemon waits for a build process to take a build over, or to answer at all. */
  handoverMs: number;
  /** A build process that gives no sign of life for this long hangs: it is killed, and its build has failed. 0: never. */
  hungMs: number;
  terminalColumns: number;
  terminalRows: number;
  /** The wrapper waits this long for its end mark to be seen, before it ends by itself. */
  endMarkWaitS: number;
  /** Output is masked and written as soon as this many bytes wait … */
  outputBatchBytes: number;
  /** … or this long after the batch before; the first output after a pause is written at once. */
  outputBatchMs: number;
  /** A batch of this many bytes tells that more is coming: the next one is given this long to fill up. */
  outputFloodBytes: number;
  outputFloodMs: number;
  /** What a script leaves running gets this long between SIGTERM and SIGKILL. */
  leftoverGraceMs: number;
  /** Killing is repeated until nothing is left, at most this long. */
  killRoundsMs: number;
  /** Held on disk and given up when the disk is full, so that a result can still be written. */
  reserveBytes: number;
  /**
   * With less free space than this the work folders that were used least recently are removed, and while that is not
   * enough the host is given no builds. 0: never.
   */
  diskReserveBytes: number;
  /** After a failure to find out what became of a build, it is tried again, so many times in all. */
  settleRetryMs: number;
  settleAttempts: number;
  /** A build process checks this often that its folder is as it was. */
  folderCheckMs: number;
  /** A build process that was told to stop, and has not ended this long after the script's grace, is killed. */
  stopMs: number;
  /** An artifact that is no text and larger than this is not scanned for secrets. */
  artifactScanBytes: number;
  /** Entries of a bundle (an .app, a .framework …), which is one artifact. */
  artifactBundleEntries: number;
  /** A build that is stopped goes on collecting artifacts for this long, and then ends with those that it has. */
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

/** What bounds the link to the control plane. Times in ms. */
export interface LinkLimits {
  /** Log bytes of one build that may be on their way without an acknowledgement. */
  outputWindowBytes: number;
  /** Largest piece of a log in one frame. */
  outputFrameBytes: number;
  /** Nothing more is read from the logs while this much waits in the socket. */
  socketBufferBytes: number;
  /** While earlier output is on its way, less than half a frame waits this long for company. */
  outputGatherMs: number;
  /** A log that cannot be read is tried again after this time. */
  readRetryMs: number;
  /** Reconnection: exponential with full jitter between these. */
  reconnectBaseMs: number;
  reconnectMaxMs: number;
  /** A connection that held this long starts the backoff anew. */
  stableMs: number;
  /** Time between attempts when the two ends speak different protocols. */
  mismatchRetryMs: number;
  /** Connection, TLS and upgrade; then the same again for the welcome. */
  handshakeMs: number;
  /** How long the other end may take to answer a goodbye. */
  goodbyeMs: number;
  /** Largest message of the control plane. */
  messageBytes: number;
  /** Facts whose only news is activity are sent at most this often. */
  activityMs: number;
  /** An end of a build that is not acknowledged is reported again after this time. */
  finishedRetryMs: number;
  /** Small artifacts travel together, up to this many and this many bytes in a request. */
  artifactBatchFiles: number;
  artifactBatchBytes: number;
  /** A build that is stopped goes on sending artifacts for this long, and then ends with those that were sent. */
  stoppedArtifactsMs: number;
  /** Times that the control plane may answer that it cannot store an artifact now. */
  artifactAttempts: number;
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
  artifactRetryBaseMs: 500,
  artifactRetryMaxMs: 30_000,
};

/** What bounds the daemon itself. */
export interface DaemonLimits {
  /** How often the host looks whether its inventory has changed. */
  inventoryMs: number;
  /** A Mac that could not be made, or a build that could not be taken over, is tried again after these. */
  retryBaseMs: number;
  retryMaxMs: number;
  /** Times that a build is tried to be taken over before it is reported as failed. */
  startAttempts: number;
  /** Times that a change of a Mac is tried before the control plane is told that it fails. */
  changeAttempts: number;
  /** A daemon that is told to stop waits this long for changes of Macs under way. */
  closingMs: number;
}

export const defaultDaemonLimits: Readonly<DaemonLimits> = {
  inventoryMs: 60_000,
  retryBaseMs: 1_000,
  retryMaxMs: 60_000,
  startAttempts: 5,
  changeAttempts: 4,
  closingMs: 5_000,
};
