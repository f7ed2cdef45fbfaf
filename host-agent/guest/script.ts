// Runs the script of a build in a guest. It goes on while there is no connection: a supervisor in the guest keeps its
// output and its exit status.
import { type Clock, systemClock } from '../../shared/clock.js';
import { defaultGuestLimits, type GuestLimits } from '../limits.js';
import { errorOf } from './call.js';
import { type Follower, followSupervisor, inPieces, type Session, SupervisorKilledError } from './follow.js';
import { encodeFrame, FRAME_BYTES, type Frame } from './frames.js';
import { type GuestSignal, signalGuestBuild, signalName, supervisorTitle } from './processes.js';
import { fields, numberOf } from './run.js';
import { GuestError, type GuestTransport } from './transport.js';

export interface GuestScriptRequest {
  script: string;
  /** Where the script is written in the guest; deleted when it ends. Its folder has to exist. */
  file: string;
  /** Added to what a login of the guest's user has. */
  env: Readonly<Record<string, string>>;
  /** Set for the script alone; no program that starts it sees them under their names. They are in memory only. */
  variables: Readonly<Record<string, string>>;
  /** Written into files of the folder `secrets`; the script's variables of these names have their paths. */
  files: Readonly<Record<string, Buffer>>;
  /** Made if there are files, for its user alone; deleted when the script ends. */
  secrets: string;
  /** Absolute path in the guest. */
  cwd: string;
  /** The shell whose profile files are read; null: the user's own. */
  shell: string | null;
  columns: number;
  rows: number;
  /** `NAME=value`, unique to the build; has to be in `env`. */
  mark: string;
  /** Receives the script's output; the memory is valid only during the call. */
  onOutput(bytes: Buffer): void;
  /** Called when a program waited for keys of the terminal, which has none, and its input was ended. */
  onInputEnded?(): void;
}

export interface GuestScriptOptions {
  limits?: GuestLimits;
  clock?: Clock;
  /** Returns false when it is known that the virtual machine does not run. */
  isRunning?: () => Promise<boolean>;
}

export interface GuestScriptEnd {
  /** 128 + n for a signal n. */
  exitCode: number;
  /** All output was received. */
  complete: boolean;
  /** Number of the build's processes that still ran right after the script had exited; null: unknown. */
  left: number | null;
}

/** A script on a pty of the guest, which waits for its start. */
export interface GuestScript {
  /** Returns process ids and terminal in the guest; null until connected. `script` is null until it has started. */
  session(): { leader: number; terminal: string; script: number | null } | null;
  /** Starts the script. Call once. */
  begin(): void;
  /** Resolves when the script has started or can no longer start. A signal sent earlier does not reach the script. */
  begun: Promise<void>;
  /**
   * Resolves when the script has exited and all its output was received; not `complete` when its supervisor was killed.
   * Rejects with GuestLostError when the guest is gone, and with GuestError when the script could not be started.
   */
  ended: Promise<GuestScriptEnd>;
  /** Sends a signal (0: only counts) to all processes of the build; returns how many there were. 0 when the guest is gone. */
  signal(signal: GuestSignal): Promise<number>;
  /** No more output is read. `signal` still works. */
  release(): Promise<void>;
  /** Ends the connection and the supervisor. Call it last, always. */
  close(): Promise<void>;
}

const KILLED = 128 + 9;

/**
 * Starts the supervisor of a script in the guest.
 *
 * @example
 * const script = openGuestScript(transport, { script: 'make', file: '/Users/admin/run/script', … });
 * script.begin();
 * const { exitCode } = await script.ended;
 * await script.close();
 */
export function openGuestScript(
  transport: GuestTransport,
  request: GuestScriptRequest,
  options: GuestScriptOptions = {},
): GuestScript {
  const { limits = defaultGuestLimits, clock = systemClock, isRunning = async () => true } = options;
  const end = deferred<GuestScriptEnd>();
  const start = deferred<void>();
  const signals = createSignals();
  let session: Session | null = null;
  let script: number | null = null;
  let wantsBegin = false;
  let released = false;
  let received = 0;
  let acknowledged = 0;
  const acknowledgeBytes = Math.min(limits.acknowledgeBytes, limits.outputBytes >> 1);

  const takeOutput = (payload: Buffer) => {
    received += payload.length;
    if (!released) request.onOutput(payload);
    if (received - acknowledged < acknowledgeBytes) return;
    acknowledged = received;
    follower.send('ack', String(received));
  };
  const onFrame = ({ type, payload }: Frame) => {
    if (type === 'output') takeOutput(payload);
    else if (type === 'begun') {
      script = processIdOf(payload);
      start.resolve();
    } else if (type === 'refused') {
      end.reject(errorOf(payload));
      start.resolve();
    } else if (type === 'ended') end.resolve(endOf(payload));
    else if (type === 'signaled') signals.answered(numberOf(payload));
    else if (type === 'woken') request.onInputEnded?.();
    else if (type !== 'alive') throw new GuestError('bad_answer', `the guest sent an unexpected frame: ${type}`);
  };
  const onSession = (current: Session) => {
    session = current;
    acknowledged = received;
    if (wantsBegin && script === null) follower.send('begin');
    if (released) follower.send('release');
    for (const signal of signals.waiting()) follower.send('signal', signalName(signal));
  };
  const follower: Follower = followSupervisor({
    transport,
    limits,
    clock,
    isRunning,
    onSession,
    onFrame,
    start: (token) => startFrames(request, token, limits),
    offset: () => received,
  });
  const viaCall = (signal: GuestSignal) => {
    const build = { mark: request.mark, script, work: request.cwd };
    return signalGuestBuild(transport, build, signal, { timeoutMs: limits.callMs, clock });
  };
  follower.done.catch((error: unknown) => {
    const killed = error instanceof SupervisorKilledError;
    if (killed) end.resolve({ exitCode: KILLED, complete: false, left: null });
    else end.reject(error);
    start.resolve();
    signals.end(killed ? viaCall : async () => 0);
  });

  return {
    session: () => session && { leader: session.supervisor, terminal: session.terminal, script },
    begun: start.promise,
    ended: end.promise,
    begin() {
      wantsBegin = true;
      if (session !== null) follower.send('begin');
    },
    signal: (signal) => signals.ask(signal, () => follower.send('signal', signalName(signal))),
    async release() {
      released = true;
      follower.send('release');
    },
    close() {
      released = true;
      follower.send('release');
      signals.end(async () => 0);
      return follower.close();
    },
  };
}

/** Its rejection may stay unhandled. */
function deferred<T>() {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}

interface Waiting {
  signal: GuestSignal;
  resolve(count: number | Promise<number>): void;
}

/** Signals that were sent, and wait for the supervisor's answer; answers come in order. */
function createSignals() {
  const waiting: Waiting[] = [];
  let instead: ((signal: GuestSignal) => Promise<number>) | null = null;
  return {
    waiting: () => waiting.map(({ signal }) => signal),
    ask: (signal: GuestSignal, send: () => void) =>
      instead !== null
        ? instead(signal)
        : new Promise<number>((resolve) => {
            waiting.push({ signal, resolve });
            send();
          }),
    answered: (count: number) => waiting.shift()?.resolve(count),
    /** The supervisor no longer answers; `other` signals instead. */
    end(other: (signal: GuestSignal) => Promise<number>) {
      instead = other;
      for (const { signal, resolve } of waiting.splice(0)) resolve(other(signal));
    },
  };
}

function* startFrames(request: GuestScriptRequest, token: string, limits: GuestLimits): Iterable<Buffer> {
  const { file, cwd, shell, rows, columns, mark, script } = request;
  const seconds = [limits.abandonedMs, limits.inputQuietMs].map((ms) => Math.ceil(ms / 1000));
  const numbers = [rows, columns, limits.outputBytes, ...seconds].map(String);
  const options = [supervisorTitle(mark), token, mark, cwd, file, request.secrets, cwd, shell ?? '', ...numbers];
  yield encodeFrame('options', fields(options));
  yield* assignments('service', request.env);
  yield* assignments('variable', request.variables);
  for (const [name, content] of Object.entries(request.files)) {
    yield encodeFrame('file', name);
    yield* inPieces('content', content);
  }
  yield* inPieces('script', script);
  yield encodeFrame('start');
}

function* assignments(type: string, env: Readonly<Record<string, string>>): Iterable<Buffer> {
  for (const [name, value] of Object.entries(env)) {
    const assignment = Buffer.from(`${name}=${value}`);
    if (assignment.length > FRAME_BYTES) throw new GuestError('E2BIG', `the variable ${name} is too long`);
    yield encodeFrame(type, assignment);
  }
}

/** Signals to smaller process ids have other meanings. */
function processIdOf(payload: Buffer): number | null {
  const pid = numberOf(payload);
  return pid > 1 && pid < 2 ** 31 ? pid : null;
}

function endOf(payload: Buffer): GuestScriptEnd {
  const [, status, left] = /^(\d{1,3}) (\d{1,7})$/.exec(payload.toString('latin1')) ?? [];
  if (status === undefined) throw new GuestError('bad_answer', 'the guest sent no valid exit status');
  return { exitCode: Math.min(255, Number(status)), complete: true, left: Number(left) };
}
