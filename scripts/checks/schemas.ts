/** Checks that each JSON Schema of the contract compiles. */
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Facts, Json, JsonObject } from '../contract-facts.ts';

/** Checks that every schema compiles. */
export function checkSchemas(facts: Facts, openapi: JsonObject): string[] {
  const problems: string[] = [];
  const compile = (name: string, schema: Json, draft: 'draft7' | '2020'): void => {
    try {
      validator(draft).compile(schema as object);
    } catch (error) {
      problems.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  for (const [name, schema] of facts.json) {
    if (!name.endsWith('.schema.json') || schema === undefined) continue;
    const draft = String((schema as JsonObject).$schema).includes('2020-12') ? '2020' : 'draft7';
    compile(`contract/${name}`, schema, draft);
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
function validator(draft: 'draft7' | '2020'): Ajv | Ajv2020 {
  const options = { strict: false, validateFormats: false, allowUnionTypes: true };
  return draft === '2020' ? new Ajv2020(options) : new Ajv(options);
}
