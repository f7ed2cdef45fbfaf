import type { AttemptRef } from '../../contract/attempt-folder.js';

/** @example refKey({ build_id: 'rb_1', attempt: 2 }) // 'rb_1/2' */
export const refKey = (ref: AttemptRef): string => `${ref.build_id}/${ref.attempt}`;
