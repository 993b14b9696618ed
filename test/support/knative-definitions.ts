/** The kinds of Knative Serving as their authors publish them, from the Go module. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Kubectl, kubectlOrThrow } from './control-plane/kubectl.ts';

const run = promisify(execFile);

/** Knative 1.15: the newest one of which a Go module proxy has all parts. */
const serving = 'knative.dev/serving@v0.42.2';

/** So that an API server judges Knative Services by their schema. Throws without Go. */
export async function installKnativeDefinitions(kubectl: Kubectl): Promise<void> {
  const env = { ...process.env, GOWORK: 'off' };
  const { stdout } = await run('go', ['mod', 'download', '-json', serving], {
    cwd: tmpdir(),
    env,
  });
  const { Dir: folder } = JSON.parse(stdout) as { readonly Dir: string };
  const input = await readFile(join(folder, 'config/core/300-resources/service.yaml'), 'utf8');
  await kubectlOrThrow(kubectl, ['apply', '--server-side', '-f', '-'], { input });
  const name = 'customresourcedefinition/services.serving.knative.dev';
  await kubectlOrThrow(kubectl, ['wait', '--for=create', '--timeout=30s', name]);
  const wait = ['wait', '--for=condition=Established', '--timeout=30s', name];
  await kubectlOrThrow(kubectl, wait);
}
