/** `millrace apply` and `delete`: create, change and delete objects without kubectl. */
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '#shared/domain/errors.ts';
import { stableJson } from '#shared/domain/hash.ts';
import { fieldsOf, isObject, textOf } from '#shared/domain/json-value.ts';
import {
  type JsonObject,
  type KubeObject,
  type ObjectName,
  objectName,
  type Resource,
} from '#shared/domain/objects.ts';
import { omit } from '#shared/domain/omit.ts';
import { defaultPolicy } from '#shared/policy/pod-policy.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { CommandFailure, exitCodes } from '../command-failure.ts';
import { fullNameOf } from '../full-name.ts';
import { findOne } from '../find-named.ts';
import { formatted } from '../lint/formats.ts';
import { lintManifests } from '../lint/lint-manifests.ts';
import { invalid, type Manifest, readManifests, requireManifests } from '../manifests/manifests.ts';
import { ObjectPrinter } from '../object-printer.ts';
import { openCluster, type OpenedCluster } from '../open-cluster.ts';
import { kindsFor, namesIn } from '../picture/named-in-list.ts';
import { requireWhole } from '../require-whole.ts';
import type { ApplyOptions, DeleteOptions } from './apply-options.ts';

type Say = (line: string) => void;

/** The name of kubectl, so that kubectl can continue with what was applied here. */
const fieldManager = 'kubectl';
const betweenLooksMs = 200;

interface Target {
  readonly resource: Resource;
  readonly name: ObjectName;
  /** The name as kubectl prints it: `jobflow.api.practice.com/hello`. */
  readonly called: string;
}

interface Placed extends Target {
  readonly manifest: JsonObject;
}

/**
 * Judges all manifests first, and applies none if one is wrong. Returns the exit code: 3 if nothing has changed and
 * `--error-unchanged` is set. Throws CommandFailure, and MR_API_* if the API server refuses.
 */
export async function apply(options: ApplyOptions, say: Say): Promise<number> {
  const { filename, dryRun = false, forceConflicts: force = false, errorUnchanged } = options;
  const read = await readManifests(filename);
  const { findings } = lintManifests(read, options.policy ?? defaultPolicy);
  for (const line of formatted(findings, 'text', packageJson.version)) {
    process.stderr.write(`${line}\n`);
  }
  // A warning of the API server is printed only if no finding said the same.
  const onWarning = (text: string): void => {
    const isSaid = findings.some(
      ({ path, message }) => message === text || `${path}: ${message}` === text,
    );
    if (!isSaid) process.stderr.write(`Warning: ${text}\n`);
  };
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  if (errors > 0) {
    const message = `nothing was applied: ${errors === 1 ? 'an error' : `${errors} errors`} above`;
    throw new CommandFailure(
      exitCodes.invalidInput,
      message,
      `millrace lint ${filename.join(' ')}`,
    );
  }
  await using cluster = await openCluster(options, 'apply');
  let changes = 0;
  using printer = new ObjectPrinter(options, say);
  for (const { resource, name, called, manifest } of await placedIn(read.manifests, cluster)) {
    const before = await cluster.client.get(resource, name);
    const written = { fieldManager, dryRun, force, onWarning } as const;
    const after = await cluster.client
      .patch(resource, name, manifest, { ...written, type: 'apply' })
      .catch((error: unknown) => {
        throw refusal(error, { called, name }, options, cluster);
      });
    const outcome =
      before === undefined ? 'created' : isSame(before, after) ? 'unchanged' : 'configured';
    if (outcome !== 'unchanged') changes += 1;
    printer.print(resource, after, `${called} ${outcome}${dryRun ? ' (dry run)' : ''}`);
  }
  return changes === 0 && errorUnchanged === true ? exitCodes.unchanged : 0;
}

/** In words for what a user can mend, else the error itself. */
function refusal(
  error: unknown,
  { called, name: { namespace } }: Pick<Placed, 'called' | 'name'>,
  { filename, forceConflicts = false }: ApplyOptions,
  { kubectl }: OpenedCluster,
): unknown {
  if (hasCode(error, 'MR_API_NOT_FOUND') && namespace !== '') {
    const message = `${called}: there is no namespace ${namespace}`;
    const next = `${kubectl} create namespace ${namespace}`;
    return new CommandFailure(exitCodes.notFound, message, next);
  }
  if (forceConflicts || !hasCode(error, 'MR_API_CONFLICT')) return error;
  const message = `${called}: ${String(error.fields['detail'])}`;
  const next = `millrace apply -f ${filename.join(' -f ')} --force-conflicts`;
  return new CommandFailure(exitCodes.general, message, next);
}

/** Ignores resourceVersion, which a dry run does not change, and managedFields: a further manager is no change. */
function isSame(before: KubeObject, after: KubeObject): boolean {
  const [stored, answered] = [before, after].map((object) => {
    const { metadata, ...content } = object as unknown as JsonObject;
    const ofAuthors = omit(omit(fieldsOf(metadata), 'managedFields'), 'resourceVersion');
    return stableJson({ ...content, metadata: ofAuthors });
  });
  return answered === stored;
}

/**
 * Deletes what is named, or what manifests name, in reverse order. Owned objects go as well. Throws CommandFailure if an
 * object does not exist; of named objects none is deleted then.
 */
export async function deleteObjects(
  words: readonly string[],
  options: DeleteOptions,
  say: Say,
): Promise<void> {
  const { filename = [], ignoreNotFound = false } = options;
  if (words.length > 0 === filename.length > 0) {
    const message = 'name objects, or manifests with --filename';
    throw new CommandFailure(exitCodes.usage, message, 'millrace delete jobflow/hello');
  }
  const manifests = filename.length === 0 ? [] : await requireManifests(filename);
  await using cluster = await openCluster(options, 'delete');
  const targets =
    words.length > 0
      ? await targetsNamed(words, ignoreNotFound, cluster)
      : (await placedIn(manifests, cluster)).toReversed();
  const { missing, leaving } = await deleteEach(targets, options, cluster, say);
  if (options.wait) await untilGone(leaving, options.timeout, cluster);
  if (missing.length === 0 || ignoreNotFound) return;
  const message = `${missing.map(({ called }) => called).join(', ')}: not found`;
  const what = words.length > 0 ? words.join(' ') : `-f ${filename.join(' -f ')}`;
  throw new CommandFailure(
    exitCodes.notFound,
    message,
    `millrace delete ${what} --ignore-not-found`,
  );
}

async function targetsNamed(
  words: readonly string[],
  ignoresMissing: boolean,
  cluster: OpenedCluster,
): Promise<readonly Target[]> {
  const names = namesIn(words);
  if (names.length === 0) {
    const message = 'a kind alone deletes nothing: name the objects';
    throw new CommandFailure(exitCodes.usage, message, `millrace get ${words.join(' ')}`);
  }
  for (const name of names) requireWhole(name, 'delete', 'object');
  const found = names.map(async (name): Promise<readonly Target[]> => {
    try {
      const { kind, object } = await findOne(name, kindsFor(name), cluster);
      const { resource } = kind;
      const called = fullNameOf(resource, object);
      return [{ resource, name: objectName(object.metadata), called }];
    } catch (error) {
      const isMissing = error instanceof CommandFailure && error.exitCode === exitCodes.notFound;
      if (ignoresMissing && isMissing) return [];
      throw error;
    }
  });
  return (await Promise.all(found)).flat();
}

/** Returns the missing objects, and those that remain until their finalizers are done. */
async function deleteEach(
  targets: readonly Target[],
  options: DeleteOptions,
  { client }: OpenedCluster,
  say: Say,
) {
  const missing: Target[] = [];
  const leaving: Target[] = [];
  const isDry = options.dryRun === true;
  using printer = new ObjectPrinter(options, say);
  for (const each of targets) {
    const { resource, name, called } = each;
    const found = await client.get(resource, name);
    if (found === undefined) {
      missing.push(each);
      continue;
    }
    const left = isDry
      ? undefined
      : await client.delete(resource, name, { propagation: 'Background' });
    if (left !== undefined) leaving.push(each);
    printer.print(resource, left ?? found, `${called} deleted${isDry ? ' (dry run)' : ''}`);
  }
  return { missing, leaving };
}

async function untilGone(
  leaving: readonly Target[],
  seconds: number,
  { client, kubectl }: OpenedCluster,
): Promise<void> {
  const deadline = performance.now() + seconds * 1_000;
  for (const { resource, name, called } of leaving) {
    while ((await client.get(resource, name)) !== undefined) {
      if (performance.now() > deadline) {
        const message = `${called} is still there after ${seconds} s: a finalizer holds it`;
        throw new CommandFailure(exitCodes.timeout, message, `${kubectl} get ${called} -o yaml`);
      }
      await sleep(betweenLooksMs);
    }
  }
}

/** Each creation gives another name, so the manifest names no object. */
function withoutName({ file }: Manifest, { kubectl }: OpenedCluster): CommandFailure {
  const message = `${file}: metadata.generateName names no object that could be applied or deleted; create it`;
  return new CommandFailure(exitCodes.invalidInput, message, `${kubectl} create -f ${file}`);
}

/** Finds the resource that the API server serves for each manifest. Throws CommandFailure. */
async function placedIn(
  manifests: readonly Manifest[],
  cluster: OpenedCluster,
): Promise<readonly Placed[]> {
  if (manifests.length === 0) {
    throw new CommandFailure(
      exitCodes.invalidInput,
      'the files hold no object',
      'name other files',
    );
  }
  const served = new Map<string, Promise<readonly Resource[] | undefined>>();
  const placed: Placed[] = [];
  for (const each of manifests) {
    const { value: manifest } = each;
    const { apiVersion, kind, metadata } = fieldsOf(manifest);
    const version = textOf(apiVersion);
    const name = textOf(fieldsOf(metadata)['name']);
    if (name === '' && textOf(fieldsOf(metadata)['generateName']) !== '') {
      throw withoutName(each, cluster);
    }
    if (!isObject(manifest) || version === '' || name === '') {
      throw invalid(each, 'an object needs apiVersion, kind and metadata.name');
    }
    if (!served.has(version)) served.set(version, cluster.client.discover(version));
    const resource = (await served.get(version))?.find((known) => known.kind === kind);
    if (resource === undefined) {
      const message = `${version} ${textOf(kind)} is not served by this cluster`;
      throw new CommandFailure(exitCodes.invalidInput, message, 'millrace doctor --cluster');
    }
    placed.push({
      ...{ resource, manifest },
      called: fullNameOf(resource, { metadata: { name } }),
      name: {
        name,
        namespace: resource.namespaced
          ? textOf(fieldsOf(metadata)['namespace']) || cluster.namespace
          : '',
      },
    });
  }
  return placed;
}
