// The secrets of one build, as everything that leaves it must not show them.

/** Replaces secrets in a stream of bytes; what it returns is only valid until its next call. */
export interface StreamMasker {
  write(chunk: Buffer): Buffer;
  end(): Buffer;
}

export interface BuildMask {
  stream(): StreamMasker;
  text(text: string): string;
  /** Names of the secrets whose values a file holds; of what is no text and large, none. */
  scanFile(file: string | Buffer): Promise<readonly string[]>;
  /** The same of a small file's content. */
  scanBytes(content: Buffer): readonly string[];
}
