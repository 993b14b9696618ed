/** The flows that come with Millrace: every JobFlow of deploy/examples. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { JobFlowSpec } from '#shared/api/job-flow.ts';
import type { NewObject } from '#shared/domain/objects.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';

export interface FlowManifest extends NewObject {
  readonly spec: JobFlowSpec;
}

export interface Demo {
  /** Name of the JobFlow. */
  readonly name: string;
  /** The first sentence of the file's comment. */
  readonly says: string;
  readonly flow: FlowManifest;
  /** The JobTemplates that its steps refer to. */
  readonly templates: readonly NewObject[];
}

export const exampleFolder = join(import.meta.dirname, '..', '..', '..', 'deploy', 'examples');
const defaultDemo = 'jobflow-example';

/** All demos, the default one first. */
export async function readDemos(folder = exampleFolder): Promise<readonly Demo[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).sort();
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  const parsed = texts.map((text) => ({
    says: firstSentence(text),
    objects: parseAllDocuments(text).map((document) => document.toJS() as NewObject),
  }));
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

/** By its name, with or without `jobflow-`. Throws CommandFailure with the list. */
export function findDemo(demos: readonly Demo[], name = defaultDemo): Demo {
  const found = demos.find((demo) => demo.name === name || demo.name === `jobflow-${name}`);
  if (found !== undefined) return found;
  throw new CommandFailure(
    exitCodes.notFound,
    `there is no demo ${name}; there are:\n${listOfDemos(demos)}`,
    `millrace demo ${defaultDemo}`,
  );
}

export function listOfDemos(demos: readonly Demo[]): string {
  const width = Math.max(...demos.map(({ name }) => name.length));
  return demos.map(({ name, says }) => `  ${name.padEnd(width)}  ${says}`).join('\n');
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
