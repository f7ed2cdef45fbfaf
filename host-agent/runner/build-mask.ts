// The masking of one build's secrets, for everything that leaves the build.

/** Masks secrets in a stream of bytes. What it returns is valid until the next call. */
export interface StreamMasker {
  write(chunk: Buffer): Buffer;
  end(): Buffer;
}

export interface BuildMask {
  stream(): StreamMasker;
  text(text: string): string;
  /** Returns the names of the secrets whose values a file contains; empty for large files that are not text. */
  scanFile(file: string | Buffer): Promise<readonly string[]>;
  /** The same for the content of a small file. */
  scanBytes(content: Buffer): readonly string[];
}
