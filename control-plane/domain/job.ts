// A job: work on a Mac that takes its time (provision, reset, Xcode, setup).

export const jobKinds = ['provision', 'reset', 'xcode', 'setup'] as const;
export type JobKind = (typeof jobKinds)[number];

export const jobStatuses = ['queued', 'running', 'done', 'failed'] as const;
export type JobStatus = (typeof jobStatuses)[number];

export interface Job {
  readonly jobId: string;
  readonly accountId: number;
  readonly rentalId: string;
  readonly kind: JobKind;
  readonly status: JobStatus;
  readonly when: 'after_build' | 'now' | null;
  readonly error: string | null;
  readonly message: string | null;
  readonly progress: { readonly step: string; readonly percent: number } | null;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}
