// Schemas as tools announce them: short, because every agent reads all of them before its first call.
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { z } from 'zod';

type Json = Record<string, unknown>;

/** JSON types of an answer's fields; `any` where a field may be null. */
export type AnswerShape = Readonly<Record<string, 'string' | 'number' | 'boolean' | 'array' | 'object' | 'any'>>;

/** The JSON Schema of a tool's arguments, without `additionalProperties`. */
export function inputJson(input: z.ZodObject): Json {
  const {
    $schema: _,
    additionalProperties: __,
    ...schema
  } = z.toJSONSchema(input, {
    io: 'input',
    override({ jsonSchema }) {
      // Removes the bounds of safe integers that zod writes.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return schema;
}

/**
 * The JSON Schema of an answer: its fields, none of them required, because clients also validate failed answers, which
 * have only `error`, with it.
 */
export function answerJson(answer: AnswerShape): Json {
  const properties = Object.entries(answer).map(([name, type]) => [name, type === 'any' ? {} : { type }]);
  return { type: 'object', properties: Object.fromEntries(properties) };
}

/**
 * Publishes `json` and accepts everything. The tool validates its arguments itself, because a refusal by the SDK has no
 * fields.
 */
export function announced(json: Json): StandardSchemaWithJSON<unknown, unknown> {
  return {
    '~standard': {
      version: 1,
      vendor: 'cidermill',
      validate: (value) => ({ value }),
      jsonSchema: { input: () => json, output: () => json },
    },
  };
}
