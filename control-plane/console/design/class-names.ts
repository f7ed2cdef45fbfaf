/** @example classNames('a', false, undefined, 'b') // 'a b' */
export const classNames = (...names: (string | false | null | undefined)[]): string => names.filter(Boolean).join(' ');
