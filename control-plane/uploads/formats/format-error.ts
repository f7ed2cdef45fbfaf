export interface FormatFacts {
  /** Fields of a manifest that are not valid. */
  readonly fields?: readonly { readonly path: string; readonly message: string }[];
  /** The content that a record announces. */
  readonly sha256?: string;
}

/**
 * Why a body is refused: `interrupted`: it did not arrive; `gzip`, `record`, `manifest`: it is not in that form;
 * `unpacked_too_large`: beyond a bound of the gzip reader; the others are about the folder that it describes.
 */
export type FormatErrorKind =
  | 'interrupted'
  | 'gzip'
  | 'unpacked_too_large'
  | 'record'
  | 'manifest'
  | 'empty'
  | 'too_many'
  | 'too_large';

/** The body is refused; the message is a sentence. `uploads/app/upload-body.ts` gives each kind its API error. */
export class FormatError extends Error {
  override name = 'FormatError';
  readonly kind: FormatErrorKind;
  readonly facts: FormatFacts;
  constructor(kind: FormatErrorKind, message: string, facts: FormatFacts = {}) {
    super(message);
    this.kind = kind;
    this.facts = facts;
  }
}
