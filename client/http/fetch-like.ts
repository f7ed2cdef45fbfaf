// The network port: the part of `fetch` that the client uses, so that any runtime can implement it.

/** A body that can be sent; an iterable is streamed and can be sent once. */
export type SendBody = string | Uint8Array | AsyncIterable<Uint8Array>;

export interface SendInit {
  method: string;
  headers: Record<string, string>;
  body?: SendBody;
  signal?: AbortSignal;
}

/** The part of a response that the client reads; implemented by `fetch`'s Response. */
export interface ResponseLike {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<Uint8Array> | ByteReadable | null;
  text(): Promise<string>;
}

/** The part of a web ReadableStream that is needed to read it where it is not iterable. */
export interface ByteReadable {
  getReader(): {
    read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
    cancel(reason?: unknown): Promise<unknown>;
  };
}

/** Sends one request; rejects only when there is no answer. Redirects are not to be followed. */
export type FetchLike = (url: string, init: SendInit) => Promise<ResponseLike>;

/** {@link FetchLike} over the runtime's `fetch`. */
export const platformFetch: FetchLike = (url, init) => {
  const streamed = init.body !== undefined && typeof init.body !== 'string' && !isBytes(init.body);
  return fetch(url, {
    method: init.method,
    headers: init.headers,
    body: streamed ? readableFrom(init.body as AsyncIterable<Uint8Array>) : (init.body as string | Uint8Array),
    signal: init.signal ?? null,
    redirect: 'manual',
    ...(streamed ? { duplex: 'half' as const } : {}),
  });
};

/** The body's bytes as they arrive; leaving the loop early closes the connection. */
export async function* bytesOf(body: ResponseLike['body']): AsyncGenerator<Uint8Array, void, undefined> {
  if (body === null) return;
  if (Symbol.asyncIterator in body) {
    yield* body;
    return;
  }
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      if (value) yield value;
    }
  } finally {
    await reader.cancel();
  }
}

const isBytes = (body: unknown): body is Uint8Array => body instanceof Uint8Array;

function readableFrom(source: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}
