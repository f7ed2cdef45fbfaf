// Why a host cannot make a Mac: for its account without, for operators with the host's own words.
import { z } from 'zod';
import { enumeration } from '../../platform/domain/enumeration.js';
import { messageShape } from '../../platform/http/message-view.js';
import { time } from '../../platform/http/values.js';
import { macProblemCodes, macProblemTexts } from '../domain/mac-problem.js';
import type { MacProblem } from '../domain/making.js';

const fields = {
  code: enumeration(macProblemCodes, { open: true, meanings: macProblemTexts }),
  params: messageShape.shape.params,
  text: z.string().meta({ description: 'The sentence of the code, in English' }),
  since: time,
};

export const macProblemShape = z.object(fields).meta({
  id: 'MacProblem',
  description: 'Why its host could not make the Mac. The host keeps trying; there is nothing to do but wait.',
});

export const hostMacProblemShape = z
  .object({ ...fields, detail: z.string().nullable().meta({ description: 'The words of the host' }) })
  .meta({ id: 'HostMacProblem' });

export function macProblemView({ code, since }: MacProblem): z.infer<typeof macProblemShape> {
  return { code, params: {}, text: macProblemTexts[code], since: new Date(since).toISOString() };
}

export const hostMacProblemView = (problem: MacProblem): z.infer<typeof hostMacProblemShape> => ({
  ...macProblemView(problem),
  detail: problem.detail,
});
