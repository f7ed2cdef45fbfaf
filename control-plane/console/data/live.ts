// The live stream of an organization: says which nouns have changed, so that queries about them are repeated.

export type LiveState = 'connecting' | 'open' | 'closed';
