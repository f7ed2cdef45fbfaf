// Why a host cannot make a Mac: the codes, and the English sentence of each.
import { macProblems } from '../../../shared/messages/mac-problems.js';
import { message } from '../../../shared/messages/message.js';

export type MacProblemCode = keyof typeof macProblems;

const isCode = (code: string): code is MacProblemCode => Object.hasOwn(macProblems, code);

/** Known causes. Hosts may report others, which count as `failed`. */
export const macProblemCodes = Object.keys(macProblems).filter(isCode);

export const macProblemTexts = Object.fromEntries(
  macProblemCodes.map((code) => [code, message(macProblems, code).text]),
) as Readonly<Record<MacProblemCode, string>>;

export const macProblemCode = (code: string | null | undefined): MacProblemCode =>
  code != null && isCode(code) ? code : 'failed';
