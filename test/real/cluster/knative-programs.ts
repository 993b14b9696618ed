/** The programs of Knative, and an ingress of our own in place of Envoy. */
import { copyFile, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  downloadModule,
  go,
  inFreshFolder,
  lean,
  writeRenamedModfile,
} from '#test/support/control-plane/build.ts';
import { type Build, obtainPrograms } from '#test/support/go-programs.ts';
import { knativeVersions } from '#test/support/knative-versions.ts';

export type KnativePart = keyof typeof knativeVersions;

export const ingressFolder = join(import.meta.dirname, 'ingress');

/** By their paths below `cmd`; the last name of each is that of its program. */
const commands: Readonly<Record<KnativePart, readonly string[]>> = {
  serving: ['controller', 'autoscaler', 'activator', 'webhook', 'queue'],
  // A broker on channels in memory, and the two sources that Millrace has.
  eventing: [
    ...['controller', 'webhook', 'apiserver_receive_adapter'],
    ...['in_memory/channel_controller', 'in_memory/channel_dispatcher'],
    ...['mtchannel_broker', 'broker/ingress', 'broker/filter'],
  ],
};

const builds: Readonly<Record<KnativePart, readonly Build[]>> = {
  serving: [commandsOf('serving'), { names: ['ingress'], run: buildIngress }],
  eventing: [commandsOf('eventing')],
};

/** Returns the paths of the programs; some 4 minutes on two cores for each part, once. */
export async function obtainKnative(
  part: KnativePart,
  progress: (line: string) => void,
): Promise<readonly string[]> {
  const folder = await obtainPrograms(
    {
      of: `knative ${part}`,
      folder: ['knative', `${part}-${knativeVersions[part]}`],
      builds: builds[part],
    },
    progress,
  );
  return builds[part].flatMap(({ names }) => names.map((name) => join(folder, name)));
}

/** The folder of its sources, which hold the manifests too. */
export function downloadKnative(part: KnativePart): Promise<string> {
  return downloadModule(moduleOf(part), knativeVersions[part]);
}

/** The folder of a module that the sources of another one require. */
export async function downloadRequired(sources: string, name: string): Promise<string> {
  const required = await readFile(join(sources, 'go.mod'), 'utf8');
  const module = `knative.dev/${name}`;
  const version = new RegExp(`${module} (\\S+)`).exec(required)?.[1];
  return downloadModule(module, version ?? '');
}

function moduleOf(part: KnativePart): string {
  return `knative.dev/${part}`;
}

function commandsOf(part: KnativePart): Build {
  const packages = commands[part].map((path) => `./cmd/${path}`);
  return {
    names: commands[part].map((path) => basename(path)),
    run: async (output) => {
      const sources = await downloadKnative(part);
      await inFreshFolder(async (aside) => {
        const modfile = await writeRenamedModfile(sources, aside, moduleOf(part));
        await go(sources, [...flags(), `-modfile=${modfile}`, '-o', `${output}/`, ...packages]);
      });
    },
  };
}

/** With the dependencies that Serving itself was released with. */
async function buildIngress(output: string): Promise<void> {
  const serving = await downloadKnative('serving');
  await inFreshFolder(async (aside) => {
    await writeRenamedModfile(serving, aside, 'ingress');
    await copyFile(join(ingressFolder, 'main.go'), join(aside, 'main.go'));
    await go(aside, [...flags(), '-o', join(output, 'ingress'), '.']);
  });
}

function flags(): readonly string[] {
  return ['build', '-mod=mod', ...lean()];
}
