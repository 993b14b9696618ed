/** The schema of one of our CustomResourceDefinitions, as deploy/crds has it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Schema } from '../schema.ts';

interface Definition {
  readonly spec: {
    readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: Schema } }[];
  };
}

export function crdSchema(plural: 'jobflows' | 'jobtemplates'): Schema {
  const folder = join(import.meta.dirname, '../../../deploy/crds');
  const text = readFileSync(join(folder, `api.practice.com_${plural}.yaml`), 'utf8');
  const [version] = (parse(text) as Definition).spec.versions;
  if (version === undefined) throw new Error(`${plural} has no version`);
  return version.schema.openAPIV3Schema;
}
