import type { JobFlow } from '#shared/api/job-flow.ts';
import { hasCode, type MillraceError } from '#shared/domain/errors.ts';
import type { KubeObject, NewObject, Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import type { Demo, FlowManifest } from './catalogue.ts';

const fieldManager = 'millrace-demo';
const mostRuns = 100;

export interface AppliedDemo {
  readonly flow: JobFlow;
  /** Differences from the example, worded for the user. */
  readonly notes: readonly string[];
}

/**
 * Creates the templates and the flow. Its name gets the prefix `demo-`, so that the example itself can still be
 * applied. Nothing existing is changed: if a name is taken, the next free one is used (`demo-example-2`). Throws the
 * client's errors.
 */
export async function applyDemo(
  client: KubeClient,
  namespace: string,
  demo: Demo,
): Promise<AppliedDemo> {
  const placed = await withoutMissingNode(client, demo.flow);
  const existing: string[] = [];
  for (const template of demo.templates) {
    const isNew = await createUnlessTaken(client, resources.JobTemplate, template, namespace);
    if (isNew === undefined) existing.push(template.metadata.name);
  }
  const name = `demo-${placed.flow.metadata.name.replace(/^jobflow-/, '')}`;
  const named = { ...placed.flow, metadata: { ...placed.flow.metadata, name } };
  const created = await createUnderFreeName(client, resources.JobFlow, named, namespace);
  const flow = created as JobFlow;
  const notes = existing.map((name) => `JobTemplate ${name} already exists and is used unchanged`);
  return { flow, notes: [...placed.notes, ...notes] };
}

/** The examples name a node. If the cluster has none of that name, their Pods would never be scheduled. */
async function withoutMissingNode(
  client: KubeClient,
  flow: FlowManifest,
): Promise<{ readonly flow: FlowManifest; readonly notes: readonly string[] }> {
  const { nodeName, ...globalParams } = flow.spec.globalParams ?? {};
  if (nodeName === undefined || (await hasNode(client, nodeName))) return { flow, notes: [] };
  return {
    flow: { ...flow, spec: { ...flow.spec, globalParams } },
    notes: [`there is no node ${nodeName}: globalParams.nodeName is left out`],
  };
}

async function hasNode(client: KubeClient, name: string): Promise<boolean> {
  try {
    return (await client.get(resources.Node, { namespace: '', name })) !== undefined;
  } catch (error) {
    // Without the right to list nodes, the demo requests no particular node.
    if (hasCode(error, 'MR_API_FORBIDDEN')) return false;
    throw error;
  }
}

/** Creates the object under its name or the next free one. Throws the client's errors. */
export async function createUnderFreeName(
  client: KubeClient,
  resource: Resource,
  object: NewObject,
  namespace: string,
): Promise<KubeObject> {
  const { name } = object.metadata;
  for (let run = 1; run <= mostRuns; run += 1) {
    const metadata = { ...object.metadata, name: run === 1 ? name : `${name}-${run}` };
    const created = await createUnlessTaken(client, resource, { ...object, metadata }, namespace);
    if (created !== undefined) return created;
  }
  throw new Error(`${name} and ${mostRuns - 1} names after it are taken`);
}

async function createUnlessTaken(
  client: KubeClient,
  resource: Resource,
  object: NewObject,
  namespace: string,
) {
  const placed = { ...object, metadata: { ...object.metadata, namespace } };
  try {
    return await client.create(resource, placed, { fieldManager });
  } catch (error) {
    if (isTaken(error)) return undefined;
    throw error;
  }
}

function isTaken(error: unknown): error is MillraceError {
  return hasCode(error, 'MR_API_CONFLICT') && error.fields['reason'] === 'AlreadyExists';
}
