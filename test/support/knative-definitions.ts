/** The kinds of Knative as their authors publish them, from the Go modules. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Kubectl, kubectlOrThrow } from './control-plane/kubectl.ts';

const run = promisify(execFile);

/** Knative 1.15: the newest ones of which a Go module proxy has all parts. */
const serving = {
  module: 'knative.dev/serving@v0.42.2',
  folder: 'config/core/300-resources',
  kinds: { service: 'services.serving.knative.dev' },
} as const;
const eventing = {
  module: 'knative.dev/eventing@v0.42.0',
  folder: 'config/core/resources',
  kinds: {
    apiserversource: 'apiserversources.sources.knative.dev',
    broker: 'brokers.eventing.knative.dev',
    containersource: 'containersources.sources.knative.dev',
    trigger: 'triggers.eventing.knative.dev',
  },
} as const;

/** So that an API server judges Knative Services by their schema. Throws without Go. */
export async function installKnativeDefinitions(kubectl: Kubectl): Promise<void> {
  await install(kubectl, serving);
}

/** The same for brokers, triggers and sources. Throws without Go. */
export async function installEventingDefinitions(kubectl: Kubectl): Promise<void> {
  await install(kubectl, eventing);
}

interface Definitions {
  readonly module: string;
  readonly folder: string;
  /** Names of the definitions by that of their file. */
  readonly kinds: Readonly<Record<string, string>>;
}

async function install(kubectl: Kubectl, { module, folder, kinds }: Definitions): Promise<void> {
  const env = { ...process.env, GOWORK: 'off' };
  const { stdout } = await run('go', ['mod', 'download', '-json', module], { cwd: tmpdir(), env });
  const { Dir: root } = JSON.parse(stdout) as { readonly Dir: string };
  for (const [file, definition] of Object.entries(kinds)) {
    const input = await readFile(join(root, folder, `${file}.yaml`), 'utf8');
    await kubectlOrThrow(kubectl, ['apply', '--server-side', '-f', '-'], { input });
    const name = `customresourcedefinition/${definition}`;
    await kubectlOrThrow(kubectl, ['wait', '--for=create', '--timeout=30s', name]);
    const wait = ['wait', '--for=condition=Established', '--timeout=30s', name];
    await kubectlOrThrow(kubectl, wait);
  }
}
