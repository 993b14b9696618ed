/** `millrace apply -f` and `delete -f`: create, change and delete objects from manifests, without kubectl. */
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '#shared/domain/errors.ts';
import { stableJson } from '#shared/domain/hash.ts';
import { fieldsOf, isObject, textOf } from '#shared/domain/json-value.ts';
import type { JsonObject, KubeObject, ObjectName, Resource } from '#shared/domain/objects.ts';
import { omit } from '#shared/domain/omit.ts';
import { defaultPolicy } from '#shared/policy/pod-policy.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { CommandFailure, exitCodes } from '../command-failure.ts';
import { fullNameOf } from '../full-name.ts';
import { formatted } from '../lint/formats.ts';
import { lintManifests } from '../lint/lint-manifests.ts';
import { invalid, type Manifest, readManifests, requireManifests } from '../manifests/manifests.ts';
import { ObjectPrinter } from '../object-printer.ts';
import { openCluster, type OpenedCluster } from '../open-cluster.ts';
import type { ApplyOptions, DeleteOptions } from './apply-options.ts';

type Say = (line: string) => void;

/** The name of kubectl, so that kubectl can continue with what was applied here. */
const fieldManager = 'kubectl';
const betweenLooksMs = 200;

interface Placed {
  readonly resource: Resource;
  readonly name: ObjectName;
  /** The name as kubectl prints it: `jobflow.api.practice.com/hello`. */
  readonly called: string;
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
  const [stored, told] = [before, after].map((object) => {
    const { metadata, ...content } = object as unknown as JsonObject;
    const ofAuthors = omit(omit(fieldsOf(metadata), 'managedFields'), 'resourceVersion');
    return stableJson({ ...content, metadata: ofAuthors });
  });
  return told === stored;
}

/** Deletes in reverse order. Owned objects go as well. Throws CommandFailure if an object does not exist. */
export async function deleteManifests(options: DeleteOptions, say: Say): Promise<void> {
  const { filename, ignoreNotFound = false } = options;
  const manifests = await requireManifests(filename);
  await using cluster = await openCluster(options, 'delete');
  const placed = await placedIn(manifests, cluster);
  const { missing, leaving } = await deleteEach(placed.toReversed(), options, cluster, say);
  if (options.wait) await untilGone(leaving, options.timeout, cluster);
  if (missing.length === 0 || ignoreNotFound) return;
  const message = `${missing.map(({ called }) => called).join(', ')}: not found`;
  const next = `millrace delete -f ${filename.join(' -f ')} --ignore-not-found`;
  throw new CommandFailure(exitCodes.notFound, message, next);
}

/** Returns the missing objects, and those that remain until their finalizers are done. */
async function deleteEach(
  placed: readonly Placed[],
  options: DeleteOptions,
  { client }: OpenedCluster,
  say: Say,
) {
  const missing: Placed[] = [];
  const leaving: Placed[] = [];
  const isDry = options.dryRun === true;
  using printer = new ObjectPrinter(options, say);
  for (const each of placed) {
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
  leaving: readonly Placed[],
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
