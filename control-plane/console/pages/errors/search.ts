import type { RawSearch } from '../../data/search.js';

export const kinds = ['api', 'build'] as const;
export const faults = ['client', 'customer', 'platform', 'payment', 'capacity', 'unknown'] as const;
/** In hours; null: without a limit. */
export const periods = { '1h': 1, '1d': 24, '7d': 168, all: null } as const;
export type Period = keyof typeof periods;

const oneOf = <T extends string>(all: readonly T[], text: string | undefined): T | null =>
  all.find((each) => each === text) ?? null;

export const parseSearch = ({ kind, fault, code, since }: RawSearch) => ({
  kind: oneOf(kinds, kind),
  fault: oneOf(faults, fault),
  code: code ?? null,
  period: oneOf(Object.keys(periods) as Period[], since) ?? ('all' as const),
});

export type ErrorSearch = ReturnType<typeof parseSearch>;
