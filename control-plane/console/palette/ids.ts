// Ids that are pasted into the palette.

/** Where each kind of id is found. */
const kinds = { rb: 'build', rt: 'mac', wh: 'webhook', host: 'host', org: 'organization' } as const;

export interface PastedId {
  readonly kind: (typeof kinds)[keyof typeof kinds] | 'order';
  /** As the service writes it. */
  readonly id: string;
}

/** Letters and digits of ids, and groups of four of them in order numbers. */
const ID = /^(rb|rt|wh|host|org)_[0-9a-hjkmnp-tv-z]{16}$/;
const ORDER = /^RT(-[0-9A-HJKMNP-TV-Z]{4}){3}$/;

/**
 * Returns the id that a text is, or null; spaces around it and case do not count.
 *
 * @example idIn(' rb_7k2m9x0c4v8d3f6g ') // { kind: 'build', id: 'rb_7k2m9x0c4v8d3f6g' }
 */
export function idIn(text: string): PastedId | null {
  const id = text.trim().toLowerCase();
  const [, prefix] = ID.exec(id) ?? [];
  if (prefix !== undefined) return { kind: kinds[prefix as keyof typeof kinds], id };
  const number = id.toUpperCase();
  return ORDER.test(number) ? { kind: 'order', id: number } : null;
}
