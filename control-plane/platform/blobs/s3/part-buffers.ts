// Memory for the parts of objects that are being written: as many parts at once, and no more.

export type PartBuffers = ReturnType<typeof createPartBuffers>;

/** @param options.most buffers in use at once; who needs another waits */
export function createPartBuffers({ bytes, most }: { readonly bytes: number; readonly most: number }) {
  const free: Buffer[] = [];
  const waiting: ((buffer: Buffer) => void)[] = [];
  let made = 0;

  return {
    bytes,
    /** Runs `work` with a buffer, which must not be used afterwards. */
    async use<T>(work: (buffer: Buffer) => Promise<T>): Promise<T> {
      const buffer = free.pop() ?? (made < most ? make() : await new Promise<Buffer>((go) => waiting.push(go)));
      try {
        return await work(buffer);
      } finally {
        const next = waiting.shift();
        if (next) next(buffer);
        else free.push(buffer);
      }
    },
  };

  function make(): Buffer {
    made++;
    return Buffer.allocUnsafeSlow(bytes);
  }
}
