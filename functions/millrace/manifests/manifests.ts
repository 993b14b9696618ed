/** Reads all manifests that a user names. A List counts as its items. */
import { type Document, LineCounter, parseAllDocuments } from 'yaml';
import type { Verdict } from '#shared/api/fault.ts';
import { fieldsOf, isList } from '#shared/domain/json-value.ts';
import { asCreated } from '#shared/api/validate.ts';
import type { Json, NewObject } from '#shared/domain/objects.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { type Position, positionOf } from './positions.ts';
import { type Source, sourcesAt, standardInput } from './sources.ts';

export interface Manifest {
  readonly file: string;
  readonly value: Json;
  /** Position of the field at a path of the API, such as `spec.flows[0].name`. */
  readonly positionOf: (path: string) => Position;
}

/** A document that is not valid YAML. */
interface Unreadable extends Position {
  readonly file: string;
  readonly message: string;
}

interface ReadDocument {
  /** In order. An empty document has none. */
  readonly manifests: readonly Manifest[];
  readonly unreadable: readonly Unreadable[];
}

export interface ReadManifests extends ReadDocument {
  /** In the order of the command line. */
  readonly files: readonly string[];
}

/** `paths`: files, folders and `-`. */
export async function readManifests(paths: readonly string[]): Promise<ReadManifests> {
  return manifestsIn(await sourcesAt(paths));
}

/** Throws CommandFailure if one of them cannot be read. */
export async function requireManifests(paths: readonly string[]): Promise<readonly Manifest[]> {
  const { manifests, unreadable } = await readManifests(paths);
  const [first] = unreadable;
  if (first === undefined) return manifests;
  throw new CommandFailure(
    exitCodes.invalidInput,
    `${first.file}:${first.line}:${first.column}: ${first.message}`,
    `millrace lint ${paths.map(shellWord).join(' ')}`,
  );
}

/**
 * The value, typed as its kind, with the name that `generateName` leads to. Throws CommandFailure with the position of
 * the fault.
 */
export function requireValid<Value extends NewObject>(
  manifest: Manifest,
  validate: (value: Json) => Verdict<Value>,
): Value {
  const verdict = validate(manifest.value);
  if (verdict.ok) return asCreated(verdict.value);
  const faults = verdict.faults.map(({ path, message }) => `${path}: ${message}`);
  throw invalid(manifest, faults.join('; '), verdict.faults[0].path);
}

/** `path`: the faulty field. */
export function invalid(manifest: Manifest, message: string, path = ''): CommandFailure {
  const { line, column } = manifest.positionOf(path);
  const place = `${manifest.file}:${line}:${column}`;
  const named = manifest.file === standardInput ? '-' : shellWord(manifest.file);
  const next = `millrace lint ${named}`;
  return new CommandFailure(exitCodes.invalidInput, `${place}: ${message}`, next);
}

export function manifestsIn(sources: readonly Source[]): ReadManifests {
  const read = sources.flatMap(documentsOf);
  return {
    files: sources.map(({ file }) => file),
    manifests: read.flatMap(({ manifests }) => manifests),
    unreadable: read.flatMap(({ unreadable }) => unreadable),
  };
}

function documentsOf({ file, text }: Source): readonly ReadDocument[] {
  const lines = new LineCounter();
  // Its warnings would be printed by Node, such as those about the braces of a Helm template.
  const options = { lineCounter: lines, prettyErrors: true, logLevel: 'error' } as const;
  const documents = parseAllDocuments(text, options);
  return [...documents].map((document) => {
    const unreadable = (offset: number, message: string): ReadDocument => {
      const { line, col: column } = lines.linePos(offset);
      return { manifests: [], unreadable: [{ file, line, column, message }] };
    };
    const [error] = document.errors;
    if (error !== undefined) {
      const [message = ''] = error.message.split(/ at line \d+/);
      return unreadable(error.pos[0], message);
    }
    try {
      const value = (document.toJS() as Json | undefined) ?? null;
      const manifests = value === null ? [] : manifestsOf(file, value, document, lines);
      return { manifests, unreadable: [] };
    } catch (thrown) {
      // Aliases without a source, or so many that their values would fill the memory.
      if (!(thrown instanceof ReferenceError)) throw thrown;
      return unreadable(document.range[0], thrown.message);
    }
  });
}

function manifestsOf(
  file: string,
  value: Json,
  document: Document.Parsed,
  lines: LineCounter,
): readonly Manifest[] {
  const { kind, items } = fieldsOf(value);
  const manifest = (each: Json, at: string): Manifest => ({
    ...{ file, value: each },
    positionOf: (path) => positionOf(document, `${at}${path}`, lines),
  });
  if (kind !== 'List' || !isList(items)) return [manifest(value, '')];
  return items.map((item, index) => manifest(item, `items[${index}].`));
}
