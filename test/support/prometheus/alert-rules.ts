/** The installed alert rules, as a file for Prometheus. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { manifestsIn } from '../manifest-identity.ts';

const installed = join(
  import.meta.dirname,
  '../../../deploy/components/monitoring/monitoring.yaml',
);

/** Returns the file's path in `folder`. */
export async function writeAlertRules(folder: string): Promise<string> {
  const manifests = manifestsIn(await readFile(installed, 'utf8'));
  const rules = manifests.find(({ kind }) => kind === 'PrometheusRule');
  const path = join(folder, 'rules.yaml');
  await writeFile(path, stringify(rules?.['spec']));
  return path;
}
