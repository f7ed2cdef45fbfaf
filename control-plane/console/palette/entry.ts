import type { LucideIcon } from 'lucide-react';

/** The groups of the list, in its order. */
export const groups = ['id', 'recent', 'pages', 'actions', 'switch', 'macs', 'builds'] as const;

export interface Entry {
  /** Id of the entry, unique and the same in every language. */
  readonly id: string;
  readonly group: (typeof groups)[number];
  readonly text: string;
  /** The texts by which it is found: its text in each language, its id. */
  readonly names: readonly string[];
  readonly icon: LucideIcon;
  /** Beside the text, of lower weight. */
  readonly hint?: string;
  /** It is among the recent ones once it was chosen. */
  readonly recurs?: boolean;
  /** The palette closes at once, or when the promise has resolved; it shows why that was rejected. */
  run(): void | Promise<void>;
}
