import { useState } from 'react';

/** Returns a new Idempotency-Key. `crypto.randomUUID` is missing on pages without https. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

export type RequestKey = ReturnType<typeof createRequestKey>;

export function createRequestKey() {
  let last = { of: '', key: '' };
  return {
    /** Returns the header of a request with this content: the same key until the content changes or `done` is called. */
    headers(content: unknown): Readonly<Record<string, string>> {
      const of = JSON.stringify(content);
      if (last.of !== of) last = { of, key: newKey() };
      return { 'idempotency-key': last.key };
    },
    /** The request was answered: the next one is intended, even if its content is the same. */
    done(): void {
      last = { of: '', key: '' };
    },
  };
}

/** For requests about money: a second press after a lost answer gets the answer to the first one. */
export const useRequestKey = (): RequestKey => useState(createRequestKey)[0];
