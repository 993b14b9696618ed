/**
 * The folders of a Pod's containers on this machine: one per Pod, and in it one per container (its
 * root and working folder) and one per volume. The rest of the machine stays visible.
 */
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, resolve } from 'node:path';
import type { ControllerApi } from '../controller.ts';
import type { Container, Pod, Volume } from '../objects/pod.ts';
import { configData, ConfigurationMissing } from './config-values.ts';

/** A mount path in the container, and its folder on this machine. */
export interface Mount {
  readonly mountPath: string;
  readonly folder: string;
}

export interface ContainerFolders {
  readonly root: string;
  /** The folder in which the container starts: the root, or `workingDir` in it. */
  readonly workingFolder: string;
  readonly mounts: readonly Mount[];
}

export class PodFolders {
  readonly #base: string;
  readonly #api: ControllerApi;

  /** `base` is created when it is needed. */
  constructor(base: string, api: ControllerApi) {
    this.#base = resolve(base);
    this.#api = api;
  }

  /** Creates missing folders. Throws ConfigurationMissing for a volume that cannot be provided. */
  prepare(pod: Pod, container: Container): ContainerFolders {
    const root = join(this.#ofPod(pod.metadata.uid), 'containers', container.name);
    mkdirSync(root, { recursive: true });
    const mounts = (container.volumeMounts ?? []).map(({ name, mountPath, subPath = '' }) => {
      const volume = pod.spec.volumes?.find((each) => each.name === name);
      if (volume === undefined) throw new ConfigurationMissing(`there is no volume ${name}`);
      const folder = within(this.#volume(pod, volume), subPath);
      if (!existsSync(folder)) mkdirSync(folder, { recursive: true });
      link(within(root, mountPath), folder);
      return { mountPath: posix.normalize(mountPath).replace(/(.)\/$/, '$1'), folder };
    });
    const workingFolder = within(root, container.workingDir ?? '');
    mkdirSync(workingFolder, { recursive: true });
    return { root, workingFolder, mounts };
  }

  remove(podUid: string): void {
    rmSync(this.#ofPod(podUid), { recursive: true, force: true });
  }

  #ofPod(uid: string): string {
    return join(this.#base, 'pods', uid);
  }

  #volume(pod: Pod, volume: Volume): string {
    const { namespace = '', uid } = pod.metadata;
    if (volume.hostPath !== undefined) return volume.hostPath.path;
    if (volume.persistentVolumeClaim !== undefined) {
      return claimFolder(join(this.#base, 'claims', namespace), volume.persistentVolumeClaim);
    }
    const folder = join(this.#ofPod(uid), 'volumes', volume.name);
    if (volume.emptyDir !== undefined) return folder;
    const { configMap, secret } = volume as FileVolumes;
    if (configMap !== undefined) this.#writeFiles(folder, 'configMaps', namespace, configMap.name);
    else if (secret !== undefined)
      this.#writeFiles(folder, 'secrets', namespace, secret.secretName);
    else throw new ConfigurationMissing(`the sandbox has no such volume as ${volume.name} is`);
    return folder;
  }

  #writeFiles(
    folder: string,
    source: 'configMaps' | 'secrets',
    namespace: string,
    name: string | undefined,
  ): void {
    const data = configData(this.#api, source, namespace, name ?? '');
    if (data === undefined) throw new ConfigurationMissing(`${source} "${name ?? ''}" not found`);
    mkdirSync(folder, { recursive: true });
    for (const [key, value] of data) writeFileSync(join(folder, key), value);
  }
}

interface FileVolumes {
  readonly configMap?: { readonly name?: string };
  readonly secret?: { readonly secretName?: string };
}

/**
 * Resolves a path below `folder`, whatever `..` and slashes it has, as if the folder were the root.
 */
function within(folder: string, path: string): string {
  return join(folder, posix.resolve('/', path));
}

/** The API server accepts any text as the name of a claim, but no claim has a slash in its name. */
function claimFolder(base: string, { claimName }: { readonly claimName: string }): string {
  if (!/^[a-z0-9][-.a-z0-9]*$/.test(claimName)) {
    throw new ConfigurationMissing(`persistentvolumeclaim "${claimName}" not found`);
  }
  return join(base, claimName);
}

function link(path: string, target: string): void {
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(resolve(target), path, 'junction');
}

/**
 * Replaces every mount path in the text by its folder, because a process sees this machine's root.
 * `/data/x` becomes that file in the volume; `/database` stays.
 */
export function withFolders(text: string, mounts: readonly Mount[]): string {
  const folders = new Map(mounts.map(({ mountPath, folder }) => [mountPath, folder]));
  // Every path begins with the root, so a mount at the root can only be linked.
  folders.delete('/');
  if (folders.size === 0) return text;
  // The longest first, so that a mount below another one keeps its own folder.
  const paths = [...folders.keys()].toSorted((left, right) => right.length - left.length);
  const any = paths.map((path) => path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  const pattern = new RegExp(`(?<![\\w./-])(?:${any})(?![\\w.-])`, 'g');
  return text.replace(pattern, (path) => folders.get(path) ?? path);
}
