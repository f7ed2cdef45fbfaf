/** The longest wait of one request, in seconds. */
export const LONGEST_WAIT_S = 60;

export interface LongestWait {
  /** Default: 60. */
  readonly timeoutS?: number;
}
