/** The demos that ship with Millrace: every JobFlow and DaemonJob of deploy/examples. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { DaemonJobSpec } from '#shared/api/daemon-job.ts';
import type { JobFlowSpec } from '#shared/api/job-flow.ts';
import type { NewObject } from '#shared/domain/objects.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import { packageRoot } from '../package-root.ts';

export interface FlowManifest extends NewObject {
  readonly spec: JobFlowSpec;
}

export interface DaemonJobManifest extends NewObject {
  readonly spec: DaemonJobSpec;
}

/** An example. */
export interface Example {
  /** Name of the JobFlow or DaemonJob. */
  readonly name: string;
  /** The first sentence of the file's comment. */
  readonly says: string;
}

export interface DaemonJobDemo extends Example {
  readonly daemonJob: DaemonJobManifest;
}

export interface Demo extends Example {
  readonly flow: FlowManifest;
  /** The JobTemplates that its steps name. */
  readonly templates: readonly NewObject[];
}

export const exampleFolder = join(packageRoot, 'deploy/examples');
const defaultDemo = 'jobflow-example';

/** All demos of flows, the default one first. */
export async function readDemos(folder = exampleFolder): Promise<readonly Demo[]> {
  const parsed = await readExamples(folder);
  const templates = parsed.flatMap(({ objects }) => ofKind(objects, 'JobTemplate'));
  const demos = parsed.flatMap(({ says, objects }) =>
    ofKind(objects, 'JobFlow').map((object): Demo => {
      const flow = object as FlowManifest;
      const referred = new Set(flow.spec.flows.map(({ jobTemplateRef }) => jobTemplateRef));
      const needed = templates.filter(({ metadata }) => referred.has(metadata.name));
      return { name: flow.metadata.name, says, flow, templates: needed };
    }),
  );
  const isDefault = ({ name }: Demo): number => Number(name !== defaultDemo);
  return demos.sort((left, right) => isDefault(left) - isDefault(right));
}

export async function readDaemonJobDemos(
  folder = exampleFolder,
): Promise<readonly DaemonJobDemo[]> {
  const parsed = await readExamples(folder);
  return parsed.flatMap(({ says, objects }) =>
    ofKind(objects, 'DaemonJob').map((object): DaemonJobDemo => {
      const daemonJob = object as DaemonJobManifest;
      return { name: daemonJob.metadata.name, says, daemonJob };
    }),
  );
}

async function readExamples(folder: string) {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).sort();
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.map((text) => ({
    says: firstSentence(text),
    objects: parseAllDocuments(text).map((document) => document.toJS() as NewObject),
  }));
}

/**
 * Finds a demo by name, with or without `jobflow-`; `daemonjob` is `daemonjob-example`. Throws CommandFailure with
 * the list of demos.
 */
export function findDemo<Kind extends Example>(demos: readonly Kind[], name = defaultDemo): Kind {
  const names = [name, `jobflow-${name}`, `${name}-example`];
  const found = demos.find((demo) => names.includes(demo.name));
  if (found !== undefined) return found;
  throw new CommandFailure(
    exitCodes.notFound,
    `there is no demo ${name}; there are ${demos.map((demo) => demo.name).join(', ')}`,
    `millrace demo ${defaultDemo}`,
  );
}

function ofKind(objects: readonly NewObject[], kind: string): readonly NewObject[] {
  return objects.filter((object) => object.kind === kind);
}

function firstSentence(text: string): string {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('#'));
  const comment = lines.slice(0, end).map((line) => line.replace(/^#\s?/, ''));
  return comment.join(' ').split(/\.(?:\s|$)/)[0] ?? '';
}
