/** Knative's published kinds, from its Go modules. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { downloadModule } from './control-plane/build.ts';
import { type Kubectl, kubectlOrThrow } from './control-plane/kubectl.ts';
import { knativeVersions } from './knative-versions.ts';

const serving = {
  part: 'serving',
  folder: 'config/core/300-resources',
  kinds: { service: 'services.serving.knative.dev' },
} as const;
const eventing = {
  part: 'eventing',
  folder: 'config/core/resources',
  kinds: {
    apiserversource: 'apiserversources.sources.knative.dev',
    broker: 'brokers.eventing.knative.dev',
    containersource: 'containersources.sources.knative.dev',
    trigger: 'triggers.eventing.knative.dev',
  },
} as const;

/** Lets an API server validate Knative Services by their schema. Throws if Go is missing. */
export async function installKnativeDefinitions(kubectl: Kubectl): Promise<void> {
  await install(kubectl, serving);
}

/** The same for brokers, triggers and sources. Throws if Go is missing. */
export async function installEventingDefinitions(kubectl: Kubectl): Promise<void> {
  await install(kubectl, eventing);
}

interface Definitions {
  readonly part: keyof typeof knativeVersions;
  readonly folder: string;
  /** Names of the definitions by file name. */
  readonly kinds: Readonly<Record<string, string>>;
}

async function install(kubectl: Kubectl, { part, folder, kinds }: Definitions): Promise<void> {
  const root = await downloadModule(`knative.dev/${part}`, knativeVersions[part]);
  for (const [file, definition] of Object.entries(kinds)) {
    const input = await readFile(join(root, folder, `${file}.yaml`), 'utf8');
    await kubectlOrThrow(kubectl, ['apply', '--server-side', '-f', '-'], { input });
    const name = `customresourcedefinition/${definition}`;
    await kubectlOrThrow(kubectl, ['wait', '--for=create', '--timeout=30s', name]);
    const wait = ['wait', '--for=condition=Established', '--timeout=30s', name];
    await kubectlOrThrow(kubectl, wait);
  }
}
