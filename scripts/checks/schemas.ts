/** Checks that each JSON Schema of the contract compiles, and that the committed results are valid. */
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Facts, Json, JsonObject } from '../contract-facts.ts';

/** Checks that every schema compiles and the committed results are valid. */
export function checkSchemas(facts: Facts, openapi: JsonObject): string[] {
  const problems: string[] = [];
  const compile = (
    name: string,
    schema: Json,
    draft: 'draft7' | '2020',
  ): ((value: Json) => boolean) | undefined => {
    try {
      return validator(draft).compile(schema);
    } catch (error) {
      problems.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  };
  for (const [name, schema] of facts.json) {
    if (!name.endsWith('.schema.json') || schema === undefined) continue;
    const draft = String((schema as JsonObject).$schema).includes('2020-12') ? '2020' : 'draft7';
    const validate = compile(`contract/${name}`, schema, draft);
    if (name !== 'benchmark-results.schema.json') continue;
    for (const [path, result] of facts.results)
      if (result === undefined || validate?.(result) === false)
        problems.push(`${path} is not of the shape of contract/benchmark-results.schema.json`);
  }
  const { components } = openapi as { components?: { schemas?: JsonObject } };
  for (const name of Object.keys(components?.schemas ?? {}))
    compile(
      `openapi.json: ${name}`,
      { $ref: `#/components/schemas/${name}`, components: components! },
      '2020',
    );
  return problems;
}

/** Returns the validator of a draft, which throws every error of a schema. */
function validator(draft: 'draft7' | '2020'): { compile(schema: Json): (value: Json) => boolean } {
  const options = { strict: false, validateFormats: false, allowUnionTypes: true };
  const ajv = draft === '2020' ? new Ajv2020(options) : new Ajv(options);
  return { compile: (schema) => ajv.compile(schema as object) };
}
