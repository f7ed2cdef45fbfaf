// A cache of bytes under names, bounded by their size. Bytes under a name never change.

export type ByteCache = ReturnType<typeof createByteCache>;

/** @param most bytes of all together */
export function createByteCache(most: number) {
  /** In the order of their last use. */
  const kept = new Map<string, Buffer>();
  const loading = new Map<string, Promise<Buffer>>();
  let size = 0;

  const keep = (name: string, bytes: Buffer) => {
    if (bytes.length > most / 4) return;
    kept.set(name, bytes);
    size += bytes.length;
    for (const [oldest, { length }] of kept) {
      if (size <= most) return;
      kept.delete(oldest);
      size -= length;
    }
  };

  return {
    /** Returns the bytes, loading them if necessary; several that ask at the same time share one load. */
    async get(name: string, load: () => Promise<Buffer>): Promise<Buffer> {
      const known = kept.get(name);
      if (known) {
        kept.delete(name);
        kept.set(name, known);
        return known;
      }
      const running = loading.get(name);
      if (running) return running;
      const started = load();
      loading.set(name, started);
      try {
        const bytes = await started;
        keep(name, bytes);
        return bytes;
      } finally {
        loading.delete(name);
      }
    },
    forget(name: string): void {
      size -= kept.get(name)?.length ?? 0;
      kept.delete(name);
    },
    size: (): number => size,
  };
}
