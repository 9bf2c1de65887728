import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSpecJsonSchema } from '../producers/spec-json-schema.ts';

/** Writes the JSON Schema of sweep specs for editors: `npm run schema`. A test fails while it is stale. */
const path = fileURLToPath(new URL('../shared/schemas/sweep-spec.schema.json', import.meta.url));
writeFileSync(path, `${JSON.stringify(buildSpecJsonSchema(), null, 2)}\n`);
