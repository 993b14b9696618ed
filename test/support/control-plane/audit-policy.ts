import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';

/**
 * One entry per answered request with its user agent and microsecond stamps, without bodies.
 * RequestReceived would double every entry.
 */
const policy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    { level: 'None', nonResourceURLs: ['/readyz*', '/livez*', '/healthz*', '/openapi*'] },
    { level: 'Metadata' },
  ],
};

export async function writeAuditPolicy(folder: string): Promise<string> {
  const path = join(folder, 'audit-policy.yaml');
  await writeFile(path, stringify(policy));
  return path;
}
