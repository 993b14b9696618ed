/**
 * Writes everything that is derived from the sources: CRDs, admission policies, roles and reference pages. The same
 * sources give the same bytes; a test compares what is on disk.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TObject } from 'typebox';
import { bridgeAccess } from '#functions/bridge/watch-set.ts';
import { configuration as bridgeConfiguration } from '#functions/bridge/configuration.ts';
import { dispatcherAccess } from '#functions/dispatcher/access.ts';
import { dispatcherConfiguration } from '#functions/dispatcher/configuration.ts';
import { flowAdmissionAccess } from '#functions/flow-admission/access.ts';
import { flowAdmissions } from '#functions/flow-admission/admissions.ts';
import { flowAdmissionConfiguration } from '#functions/flow-admission/configuration.ts';
import { kinds, subscriptions } from '#functions/list.ts';
import { admissionPolicy } from '#shared/api/admission-policy.ts';
import { customResourceDefinition } from '#shared/api/custom-resource-definition.ts';
import { manifestStream } from '#shared/api/manifest-stream.ts';
import { webhookConfigurations } from '#shared/admission/webhook-configuration.ts';
import { defaultPolicy } from '#shared/policy/pod-policy.ts';
import { referencePage } from '#shared/api/reference-page.ts';
import { renderRoles } from '#shared/api/roles.ts';
import { functionConfiguration } from '#shared/runtime/function/function-configuration.ts';
import type { AccessRule } from '#shared/domain/access-rule.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { parseResult } from '#test/bench/result.ts';
import { figuresPath, performancePage, performancePagePath } from './performance-page.ts';
import { configurationPage, errorsPage, policyPage } from './reference-pages.ts';

const root = join(import.meta.dirname, '..');

/** Folders in which every file is generated; a file that is not is left over. */
export const generatedFolders = [
  'deploy/base',
  'deploy/crds',
  'deploy/policies',
  'deploy/rbac',
] as const;

/** Path from the root of the repository to content. */
export type GeneratedFiles = ReadonlyMap<string, string>;

export async function generatedFiles(): Promise<GeneratedFiles> {
  const files = new Map<string, string>();
  for (const kind of kinds) {
    const { group, plural } = kind.resource;
    files.set(`deploy/crds/${group}_${plural}.yaml`, yaml(customResourceDefinition(kind)));
    const policy = admissionPolicy(kind);
    if (policy.length > 0) files.set(`deploy/policies/${group}_${plural}.yaml`, yaml(...policy));
    files.set(`deploy/docs/reference/${kind.resource.kind.toLowerCase()}.md`, referencePage(kind));
  }
  for (const [name, access] of declaredAccess()) {
    files.set(`deploy/rbac/${name}.yaml`, yaml(...renderRoles(name, access)));
  }
  files.set('deploy/base/webhooks.yaml', yaml(...webhooksOfCluster()));
  files.set('deploy/docs/reference/errors.md', errorsPage());
  files.set('deploy/docs/reference/policy.md', policyPage());
  files.set('deploy/docs/reference/configuration.md', configurationPage(declaredConfigurations()));
  files.set(performancePagePath, await pageOfFigures());
  return files;
}

/** Nothing is measured here: the page tells what the figures beside it say. */
async function pageOfFigures(): Promise<string> {
  const path = join(root, figuresPath);
  if (!existsSync(path)) return performancePage(undefined);
  return performancePage(parseResult(await readFile(path, 'utf8')));
}

/** What each process may do, by its name. */
function declaredAccess(): ReadonlyMap<string, readonly AccessRule[]> {
  return new Map([
    ['bridge', bridgeAccess(subscriptions)],
    ['dispatcher', dispatcherAccess],
    ['flow-admission', flowAdmissionAccess],
    ...subscriptions.map(({ name, access }) => [name, access] as const),
  ]);
}

/** Where the webhooks of flow-admission are found when it runs in the cluster itself. */
function webhooksOfCluster(): readonly JsonObject[] {
  const service = { namespace: 'millrace', name: 'flow-admission', port: 443 };
  return webhookConfigurations(flowAdmissions(defaultPolicy), {
    metadata: {
      name: 'millrace-flow-admission',
      labels: { 'app.kubernetes.io/part-of': 'millrace' },
      // cert-manager writes the authority of the Certificate of this name into the caBundle.
      annotations: { 'cert-manager.io/inject-ca-from': 'millrace/flow-admission' },
    },
    clientConfigOf: ({ name }) => ({ service: { ...service, path: `/${name}` } }),
  });
}

/** The environment of each process that starts alone, by its name. */
export function declaredConfigurations(): ReadonlyMap<string, TObject> {
  const names = subscriptions.map(({ name }) => name);
  return new Map<string, TObject>([
    ['bridge', bridgeConfiguration],
    ['dispatcher', dispatcherConfiguration(names)],
    ...names.map((name) => [name, functionConfiguration] as const),
    ['flow-admission', flowAdmissionConfiguration],
  ]);
}

function yaml(...manifests: readonly JsonObject[]): string {
  return `# Generated by deploy/generate.ts; do not edit.\n${manifestStream(manifests)}`;
}

if (import.meta.main) {
  for (const [path, content] of await generatedFiles()) {
    const file = join(root, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}
