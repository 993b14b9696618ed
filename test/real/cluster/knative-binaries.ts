/** The programs of Knative Serving, and an ingress of our own in place of Envoy. */
import { existsSync } from 'node:fs';
import { copyFile, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  downloadModule,
  go,
  inFreshFolder,
  intoFolder,
  lean,
  requireGo,
  withProgress,
  writeRenamedModfile,
} from '#test/support/control-plane/build.ts';
import { withBuildLock } from '#test/support/control-plane/build-lock.ts';

/** Knative 1.15: the newest one of which a Go module proxy has all parts. */
const version = 'v0.42.2';
const ofServing = ['controller', 'autoscaler', 'activator', 'webhook', 'queue'] as const;
export const programs = [...ofServing, 'ingress'] as const;
export const ingressFolder = join(import.meta.dirname, 'ingress');

interface Sources {
  readonly serving: string;
  readonly networking: string;
  readonly caching: string;
}

/** The folders of their sources, which hold the manifests too. */
export async function downloadKnative(): Promise<Sources> {
  const serving = await downloadModule('knative.dev/serving', version);
  const required = await readFile(join(serving, 'go.mod'), 'utf8');
  const folderOf = (name: string): Promise<string> => {
    const found = new RegExp(`knative\\.dev/${name} (\\S+)`).exec(required)?.[1];
    return downloadModule(`knative.dev/${name}`, found ?? '');
  };
  return { serving, networking: await folderOf('networking'), caching: await folderOf('caching') };
}

/** Returns the folder that has the programs; about 4 minutes on two cores, once. */
export async function obtainKnative(progress: (line: string) => void): Promise<string> {
  const base = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const folder = join(base, 'millrace', 'knative', version);
  const isMissing = (name: string): boolean => !existsSync(join(folder, name));
  if (!programs.some(isMissing)) return folder;
  await requireGo();
  await withBuildLock(folder, progress, async () => {
    if (ofServing.some(isMissing)) {
      const build = () => buildServing(folder);
      await withProgress(`knative: ${ofServing.join(', ')}`, progress, build);
    }
    if (isMissing('ingress')) {
      await withProgress('knative: ingress', progress, () => buildIngress(folder));
    }
  });
  return folder;
}

async function buildServing(folder: string): Promise<void> {
  const { serving } = await downloadKnative();
  await inFreshFolder(async (aside) => {
    const modfile = await writeRenamedModfile(serving, aside, 'knative.dev/serving');
    const packages = ofServing.map((name) => `./cmd/${name}`);
    await intoFolder(folder, ofServing, (output) =>
      go(serving, [...flags, `-modfile=${modfile}`, '-o', `${output}/`, ...packages]),
    );
  });
}

async function buildIngress(folder: string): Promise<void> {
  const { serving } = await downloadKnative();
  await inFreshFolder(async (aside) => {
    await writeRenamedModfile(serving, aside, 'ingress');
    await copyFile(join(ingressFolder, 'main.go'), join(aside, 'main.go'));
    await intoFolder(folder, ['ingress'], (output) =>
      go(aside, [...flags, '-o', join(output, 'ingress'), '.']),
    );
  });
}

const flags = ['build', '-mod=mod', ...lean()];
