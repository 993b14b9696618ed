/** What is shipped: Roles and packages. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

const root = join(import.meta.dirname, '../..');

interface Role {
  readonly kind: string;
  readonly rules?: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

function shippedRules() {
  const folder = join(root, 'deploy/rbac');
  return readdirSync(folder)
    .flatMap((file) => parseAllDocuments(readFileSync(join(folder, file), 'utf8')))
    .flatMap((document) => (document.toJS() as Role).rules ?? []);
}

it('#09 grants nobody to write the status of a Job, nor anything by wildcard', () => {
  const rules = shippedRules();
  expect(rules.length).toBeGreaterThan(5);
  for (const { apiGroups, resources, verbs } of rules) {
    expect(resources).not.toContain('jobs/status');
    for (const words of [apiGroups, resources, verbs]) expect(words).not.toContain('*');
    expect(resources).not.toContain('secrets');
    expect(resources).not.toContain('pods/exec');
    for (const verb of ['escalate', 'bind', 'impersonate']) expect(verbs).not.toContain(verb);
  }
});

interface LockEntry {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly hasInstallScript?: boolean;
  readonly optional?: boolean;
}

it('#50 runs no script of a dependency and knows the digest of each', () => {
  const settings = readFileSync(join(root, '.npmrc'), 'utf8').split('\n');
  expect(settings).toContain('ignore-scripts=true');
  const text = readFileSync(join(root, 'package-lock.json'), 'utf8');
  const { packages } = JSON.parse(text) as { packages: Record<string, LockEntry> };
  const entries = Object.entries(packages).filter(([path]) => path !== '');
  expect(entries.length).toBeGreaterThan(100);
  for (const [path, { integrity, resolved, hasInstallScript, optional }] of entries) {
    expect(integrity, path).toMatch(/^sha512-/);
    expect(resolved, path).toBeUndefined();
    // What asks for one has to work without it.
    if (hasInstallScript === true) expect(optional, path).toBe(true);
  }
});
