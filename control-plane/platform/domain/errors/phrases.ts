// Sentences that several errors share.

export const waitAndRepeat = 'Wait `retry_after_s` seconds, then send the same request again.';
export const checkId = 'Check the id against the list of this account.';
export const correctFields = 'Correct the fields that `message` and `fields` name, then send the request again.';

export const koreanWait = '잠시 후 다시 시도하세요.';
