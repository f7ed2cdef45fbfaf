/** Something that an account's people should know, shown in the console and sent by mail. */
export interface Notice {
  readonly noticeId: string;
  /** A word for programs, e.g. `key_leaked`. */
  readonly kind: string;
  /** One line. */
  readonly subject: string;
  readonly text: string;
  readonly createdAt: number;
}
