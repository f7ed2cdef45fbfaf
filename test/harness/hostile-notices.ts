// Every notice to organizations, with values that would do harm if they were more than values.
import type { Params, Table } from '../../shared/messages/message.js';
import type { NoticeCode } from '../../shared/messages/notice.js';
import { organizationNotices } from '../../shared/messages/organization-notices.js';

const table: Table = organizationNotices;

export const noticeCodes = Object.keys(table).filter((code) => !code.endsWith('_text')) as NoticeCode[];

/** Texts begin with `<`. */
export const hostileParams = (code: NoticeCode): Params =>
  Object.fromEntries(
    Object.entries({ ...table[code]?.kinds, ...table[`${code}_text`]?.kinds }).map(([name, kind]) => {
      if (kind === 'text') return [name, `<${name}>{by}{${name}}$&\${x}"'\u202e🍎 한국어`];
      return [name, kind === 'number' ? 1_234_567 : String(kind[0])];
    }),
  );
