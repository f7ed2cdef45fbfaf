import { z } from 'zod';
import { given, rentalId, when } from '../inputs.js';
import { tool } from '../tool.js';
import { macShape, operationShape } from '../views.js';

const JOB = 'It is done by a job in the background: call wait with job_id.';

export const macTools = [
  tool({
    name: 'mac',
    title: 'One Mac in detail',
    description:
      'State of a rented Mac, what is installed (setup), what can be selected (setup_options: Xcode versions, simulator runtimes, tools), its build and its last job.',
    input: { rental_id: rentalId },
    output: {
      mac: macShape.extend({
        setup: z.looseObject({ xcode: z.string().nullable() }),
        setup_options: z.looseObject({ xcode: z.array(z.string()) }),
      }),
    },
    effect: 'reads',
    async run({ rental_id }, { client, signal }) {
      const { current_build, ...mac } = await client.rentals.get(rental_id, { signal });
      return { data: { mac: { ...mac, current_build: current_build?.id ?? null } } };
    },
  }),
  tool({
    name: 'set_xcode',
    title: 'Change the Xcode version of a Mac',
    description: `Selects another of the Xcode versions that mac lists. ${JOB}`,
    input: { rental_id: rentalId, version: z.string().min(1), when },
    output: operationShape,
    effect: 'adds',
    repeatable: true,
    run: async ({ rental_id, ...request }, { client, signal }) => {
      const change = { version: request.version, ...given({ when: request.when }) };
      return { data: { ...(await client.maintenance.selectXcode(rental_id, change, { signal })) } };
    },
  }),
  tool({
    name: 'reset_mac',
    title: 'Reset a Mac',
    description: `Makes the machine anew: everything on it is lost, and it is allowed once in 10 minutes and 20 times a day. With keep_cache only the work folder is emptied; try that first. ${JOB}`,
    input: {
      rental_id: rentalId,
      keep_cache: z.boolean().describe('true only empties the work folder; false makes the machine anew'),
      when,
    },
    output: operationShape,
    effect: 'destroys',
    run: async ({ rental_id, ...request }, { client, signal }) => {
      const change = { keep_cache: request.keep_cache, ...given({ when: request.when }) };
      return { data: { ...(await client.maintenance.reset(rental_id, change, { signal })) } };
    },
  }),
];
