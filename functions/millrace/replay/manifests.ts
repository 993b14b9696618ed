/** Manifests of a file, each judged as the API server would. */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { parseAllDocuments } from 'yaml';
import { isObject } from '#shared/domain/json-value.ts';
import type { NewObject } from '#shared/domain/objects.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import { validatedKinds } from '../validated-kinds.ts';

/** At least one; `-` is standard input. Throws CommandFailure. */
export async function readManifests(file: string): Promise<readonly NewObject[]> {
  const content = file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
  const source = file === '-' ? 'standard input' : file;
  const objects = parseAllDocuments(content).flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw unreadable(`${source}: ${error.message}`);
    const value = document.toJS() as unknown;
    return value === null || value === undefined ? [] : [judged(source, value)];
  });
  if (objects.length > 0) return objects;
  throw unreadable(`${source} holds no object`);
}

function judged(source: string, value: unknown): NewObject {
  if (!isObject(value) || typeof value['kind'] !== 'string' || !isObject(value['metadata'])) {
    throw unreadable(`${source} holds something that is no object of Kubernetes`);
  }
  const { kind } = value;
  const known = validatedKinds.find(({ resource }) => resource.kind === kind);
  // Of other kinds only the API server can say whether they are right.
  if (known === undefined) return value as unknown as NewObject;
  const verdict = known.validate(value);
  if (verdict.ok) return verdict.value;
  const faults = verdict.faults.map(({ path, message }) => `${path}: ${message}`);
  throw unreadable(`${source}, ${kind}: ${faults.join('; ')}`);
}

function unreadable(message: string): CommandFailure {
  return new CommandFailure(exitCodes.invalidInput, message, 'correct the file');
}
