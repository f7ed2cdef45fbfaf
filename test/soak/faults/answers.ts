// What clients get while something is broken: times and errors of the requests that began in each window.
import type { FetchLike } from '../../../client/http/fetch-like.js';

interface Sent {
  readonly window: string;
  /** A long poll or a stream: only its errors are counted. */
  readonly waits: boolean;
  readonly ms: number;
  /** 0: no answer. */
  readonly status: number;
}

export interface WindowReport {
  readonly window: string;
  readonly seconds: number;
  /** Of answers that are not waited for, successful or not. */
  readonly answers: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** Of all requests, by status; `0`: the connection was lost. */
  readonly errors: Readonly<Record<string, number>>;
}

export interface Recorder {
  readonly fetch: FetchLike;
  /** Requests that begin from now on belong to this window. */
  begin(window: string): void;
  report(): WindowReport[];
  /** As text, a line each. */
  lines(): string[];
}

export function recordAnswers(inner: FetchLike): Recorder {
  const sent: Sent[] = [];
  const windows: { name: string; at: number }[] = [];
  const current = () => windows.at(-1)?.name ?? 'before';
  const percentile = (sorted: readonly number[], share: number) =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  const report = (): WindowReport[] =>
    windows.map(({ name, at }, i) => {
      const here = sent.filter(({ window }) => window === name);
      const times = here.flatMap(({ waits, ms }) => (waits ? [] : [ms])).sort((a, b) => a - b);
      const errors: Record<string, number> = {};
      for (const { status } of here) if (status === 0 || status >= 400) errors[status] = (errors[status] ?? 0) + 1;
      return {
        window: name,
        seconds: Math.round(((windows[i + 1]?.at ?? performance.now()) - at) / 1_000),
        answers: times.length,
        p50: percentile(times, 0.5),
        p99: percentile(times, 0.99),
        max: Math.round(times.at(-1) ?? 0),
        errors,
      };
    });
  return {
    async fetch(url, init) {
      const window = current();
      const { searchParams, pathname } = new URL(url);
      const waits = /\/(wait|log)$/.test(pathname) || searchParams.has('wait');
      const began = performance.now();
      const note = (status: number) => void sent.push({ window, waits, ms: performance.now() - began, status });
      try {
        const answer = await inner(url, init);
        note(answer.status);
        return answer;
      } catch (error) {
        note(0);
        throw error;
      }
    },
    begin: (name) => void windows.push({ name, at: performance.now() }),
    report,
    lines: () =>
      report().map(({ window, seconds, answers, p50, p99, max, errors }) => {
        const codes = Object.entries(errors).map(([code, n]) => `${n} x ${code === '0' ? 'no answer' : code}`);
        return `${window}: ${seconds} s, ${answers} answers, p50 ${p50} ms, p99 ${p99} ms, longest ${max} ms, errors: ${codes.join(', ') || 'none'}`;
      }),
  };
}
