/** The credential of an `Authorization: Bearer …` header, or null. */
export function bearer(header: string | undefined): string | null {
  const match = /^Bearer +([\x21-\x7e]{1,200})$/i.exec(header ?? '');
  return match?.[1] ?? null;
}
