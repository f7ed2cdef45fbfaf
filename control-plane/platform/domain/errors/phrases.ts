// Sentences that several errors share.

export const waitAndRepeat = 'Wait as long as `retry_after_s` says, then send the same request again.';
export const checkId = 'Check the id: the list of its kind has the ids of this account.';
export const correctFields = 'Correct what `message` and `fields` name, then send the request again.';

export const koreanWait = '잠시 후 다시 시도하세요.';
