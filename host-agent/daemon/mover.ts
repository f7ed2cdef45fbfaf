// Moves this host to another address of its service. The address is tried first: the service there has to prove that it
// knows the host, before it gets the credential, and to welcome the host, before the configuration is written. If it
// does not, the host returns to the address that it has. After a move it returns to the one before if the new address
// stops answering on the first day.
import { backoffMs } from '../../shared/backoff.js';
import type { Clock, Timer } from '../../shared/clock.js';
import type { Log } from '../../shared/log.js';
import type { Message } from '../../shared/messages/message.js';
import { moveError } from '../../shared/messages/move-errors.js';
import type { HostAddress } from '../../shared/protocol/index.js';
import type { DaemonLimits } from '../limits.js';
import { isLoopback, type LinkAddress } from '../system/request.js';
import { sameAddress } from './link/known-service.js';
import type { MoveFile } from './move-file.js';

export interface Mover {
  /** Where the link connects: the configured address, or the one that is being tried. */
  address(): LinkAddress;
  /** The service wants the host to use this address; null: the one that it uses. */
  wanted(siteUrl: string | null): void;
  /** The service at `address()` has welcomed the host. */
  welcomed(): void;
  /** The service at `address()` does not know the host. Returns whether the host returns to another address. */
  refused(): boolean;
  facts(): HostAddress;
  start(): void;
  close(): void;
}

export interface MoverDeps extends MoverLink {
  /** The configured address. */
  configured: () => LinkAddress;
  /** Returns why a service must not get the credential, or null; `accepted`: addresses that it may name as its own. */
  refusalOf: (siteUrl: string, accepted: readonly string[]) => Promise<Message | null>;
  /** Makes it the configured address. Throws if that is not possible. */
  configure: (siteUrl: string) => void;
  file: MoveFile;
  clock: Clock;
  log: Log;
}

/** What it uses of the link. */
export interface MoverLink {
  isUp: () => boolean;
  reconnect: () => void;
  /** Sends what has changed. */
  report: (facts: HostAddress) => void;
  limits: () => DaemonLimits;
}

export const createMover = (deps: MoverDeps): Mover => new HostMover(deps);

class HostMover implements Mover {
  readonly #deps: MoverDeps;
  #to: string | null;
  #previous: { site_url: string; until: number } | null;
  #error: Message | null = null;
  #trial: { readonly siteUrl: string; readonly deadline: Timer } | null = null;
  /** Counts attempts, so that one that was overtaken ends without effect. */
  #attempt = 0;
  #failures = 0;
  #retry: Timer | null = null;
  #watch: Timer | null = null;
  #lastUp: number;
  /** The end of `previous`, monotonic: the file has the time of day. */
  #returnsUntil: number;
  #closed = false;

  constructor(deps: MoverDeps) {
    this.#deps = deps;
    const { to, previous } = deps.file.read();
    this.#to = to === null || this.#isHere(to) ? null : to;
    this.#previous = previous;
    this.#lastUp = deps.clock.monotonic();
    this.#returnsUntil = this.#lastUp + (previous === null ? 0 : previous.until - deps.clock.now());
  }

  address(): LinkAddress {
    const configured = this.#deps.configured();
    return this.#trial ? { ...configured, siteUrl: this.#trial.siteUrl } : configured;
  }

  facts(): HostAddress {
    const move =
      this.#to === null ? null : { to: this.#to, error: this.#error?.text ?? null, error_message: this.#error };
    return { site_url: new URL(this.#deps.configured().siteUrl).origin, move };
  }

  start(): void {
    if (this.#to !== null) void this.#try(this.#to, [this.#to]);
    this.#watchPrevious();
  }

  wanted(siteUrl: string | null): void {
    const to = siteUrl === null || this.#isHere(siteUrl) ? null : siteUrl;
    // The service does not know yet that the host uses the address.
    if (siteUrl !== null && to === null) this.#deps.report(this.facts());
    if (to === this.#to) return;
    this.#attempt++;
    this.#retry?.cancel();
    this.#failures = 0;
    this.#error = null;
    this.#to = to;
    this.#save();
    this.#deps.report(this.facts());
    if (to !== null) void this.#try(to, [to]);
  }

  welcomed(): void {
    this.#lastUp = this.#deps.clock.monotonic();
    const siteUrl = this.#trial?.siteUrl;
    if (siteUrl === undefined) return;
    const before = this.#deps.configured().siteUrl;
    try {
      this.#deps.configure(siteUrl);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#endTrial(moveError('not_written', { reason }));
      return;
    }
    this.#deps.log.info({ from: before, to: siteUrl }, 'this host has moved');
    this.#trial?.deadline.cancel();
    this.#trial = null;
    const { moveReturnMs } = this.#deps.limits();
    const returned = this.#previous !== null && sameAddress(this.#previous.site_url, siteUrl);
    this.#previous = returned ? null : { site_url: before, until: this.#deps.clock.now() + moveReturnMs };
    this.#returnsUntil = this.#deps.clock.monotonic() + moveReturnMs;
    this.#to = null;
    this.#error = null;
    this.#failures = 0;
    this.#save();
    this.#deps.report(this.facts());
    this.#watchPrevious();
  }

  refused(): boolean {
    if (!this.#trial) return false;
    this.#endTrial(moveError('unknown_host', { url: this.#trial.siteUrl }));
    return true;
  }

  close(): void {
    this.#closed = true;
    this.#attempt++;
    for (const timer of [this.#retry, this.#watch, this.#trial?.deadline]) timer?.cancel();
  }

  /** @param accepted addresses that the service there may name as its own */
  async #try(siteUrl: string, accepted: readonly string[]): Promise<void> {
    if (this.#trial) this.#endTrial(null);
    const attempt = ++this.#attempt;
    const { configured, refusalOf, clock, limits, reconnect, log } = this.#deps;
    const refusal =
      plainText(configured().siteUrl, siteUrl) ??
      (await refusalOf(siteUrl, accepted).catch((error: unknown) => moveError('failed', { reason: String(error) })));
    if (this.#closed || attempt !== this.#attempt) return;
    if (refusal !== null) return this.#fail(refusal);
    const { moveTrialMs } = limits();
    const deadline = clock.setTimeout(
      () => this.#endTrial(moveError('not_accepted', { url: siteUrl, seconds: moveTrialMs / 1000 })),
      moveTrialMs,
    );
    log.info({ to: siteUrl }, 'trying another address of the service');
    this.#trial = { siteUrl, deadline };
    reconnect();
  }

  #endTrial(error: Message | null): void {
    this.#trial?.deadline.cancel();
    this.#trial = null;
    if (error !== null) this.#fail(error);
    this.#deps.reconnect();
  }

  #fail(error: Message): void {
    const { clock, limits, log, report } = this.#deps;
    const { moveRetryMs: baseMs, moveRetryMaxMs: maxMs } = limits();
    const changed = error.text !== this.#error?.text;
    this.#error = error;
    if (changed) {
      log.warn({ to: this.#to, reason: error.text }, 'this host keeps its address of the service');
      report(this.facts());
    }
    this.#retry?.cancel();
    const retry = () => {
      if (this.#to !== null) void this.#try(this.#to, [this.#to]);
    };
    this.#retry = clock.setTimeout(retry, baseMs / 2 + backoffMs(this.#failures++, { baseMs, maxMs }));
  }

  /** Returns to the address before the last move if the new one has stopped answering. */
  #watchPrevious(): void {
    this.#watch?.cancel();
    if (this.#previous === null || this.#closed) return;
    const { clock, limits, isUp, configured } = this.#deps;
    const { moveRetryMs, moveReturnAfterMs } = limits();
    this.#watch = clock.setTimeout(() => {
      const now = clock.monotonic();
      if (isUp()) this.#lastUp = now;
      if (this.#previous !== null && now >= this.#returnsUntil) {
        this.#previous = null;
        this.#save();
      }
      const away = now - this.#lastUp >= moveReturnAfterMs;
      if (this.#previous !== null && away && !this.#trial) {
        const { site_url } = this.#previous;
        void this.#try(site_url, [site_url, configured().siteUrl]);
      }
      this.#watchPrevious();
    }, moveRetryMs);
  }

  #isHere = (siteUrl: string) => sameAddress(siteUrl, this.#deps.configured().siteUrl);

  #save(): void {
    try {
      this.#deps.file.write({ to: this.#to, previous: this.#previous });
    } catch (error) {
      this.#deps.log.error({ err: error }, 'cannot record where this host should move to');
    }
  }
}

/** Returns why the address cannot be used because its connections are not encrypted, or is not an address. */
function plainText(present: string, url: string): Message | null {
  if (!URL.canParse(url) || !/^https?:/.test(url)) return moveError('not_an_address', { url });
  const downgrade = url.startsWith('http:') && present.startsWith('https:') && !isLoopback(url);
  return downgrade ? moveError('not_encrypted', { url }) : null;
}
