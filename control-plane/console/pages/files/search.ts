import type { FileKind } from '../../../../client/types.js';
import type { FileFilter } from '../../data/files.js';
import type { RawSearch } from '../../data/search.js';

export const kinds: readonly FileKind[] = ['upload', 'artifact'];

export const parseSearch = ({ kind, build }: RawSearch): FileFilter => ({
  kind: kinds.find((each) => each === kind) ?? null,
  build: build ?? null,
});
