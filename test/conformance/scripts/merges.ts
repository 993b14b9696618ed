/** A sequence of writes to one object: its state after each, the field owners, and which timestamps changed. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { kindPath, type KindName } from '../harness/kinds.ts';
import { family } from '../harness/script.ts';
import type { Answer, Manifest, Seen, Session } from '../harness/session.ts';
import { defined, definition } from './definitions.ts';
import type { MergedKind } from './merge-kinds.ts';
import { sequences, type Step } from './merge-sequences.ts';

const name = 'a';

export const mergeScripts = family(
  'merges',
  Object.fromEntries(
    sequences.map(({ name: rule, kind, steps }) => [rule, (s: Session) => play(s, kind, steps)]),
  ),
);

async function play(s: Session, { kind, version }: MergedKind, steps: readonly Step[]) {
  if (version === undefined) return take(s, kind as KindName, kind, steps);
  return defined(s, definition(s, {}, version), (path) => take(s, path, kind, steps));
}

async function take(s: Session, path: KindName, kind: string, steps: readonly Step[]) {
  const { apiVersion } = kindPath(path);
  let live: Seen | undefined;
  for (const step of steps) {
    if (step.soon !== true) await nextSecond();
    const body =
      typeof step.body === 'function' ? step.body((live ?? {}) as JsonObject) : step.body;
    const { code, body: after } = await write(s, path, step, { apiVersion, kind, body });
    if (code >= 400) continue;
    if (step.soon !== true) s.note('whose time is new', newTimes(live, after));
    live = after;
  }
}

/** Timestamps have whole seconds, so only a later second distinguishes a new one from an old one. */
async function nextSecond(): Promise<void> {
  await sleep(1_010 - (Date.now() % 1_000));
}

function write(
  s: Session,
  path: KindName,
  { write: how, by, subresource, force }: Step,
  { apiVersion, kind, body }: { apiVersion: string; kind: string; body: Json },
): Promise<Answer> {
  const query = { fieldManager: by, ...(force === true ? { force } : {}) };
  const options = { query, sub: subresource ?? '', kind: path };
  const { metadata, ...rest } = body as JsonObject;
  const whole: Manifest = {
    apiVersion,
    kind,
    metadata: { name, ...(metadata as object) },
    ...rest,
  };
  if (how === 'create') return s.create(whole, options);
  if (how === 'update') return s.update(whole, options);
  if (how === 'apply') return s.apply(whole, by, options);
  return s.patch(path, name, how, body, options);
}

interface Owner {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly time?: string;
}

function newTimes(before: Seen | undefined, after: Seen): readonly string[] {
  const known = timesOf(before);
  const isNew = ([owner, time]: readonly [string, unknown]) => known.get(owner) !== time;
  return [...timesOf(after)]
    .filter(isNew)
    .map(([owner]) => owner)
    .sort();
}

function timesOf(object: Seen | undefined): ReadonlyMap<string, unknown> {
  const owners = (object?.metadata['managedFields'] ?? []) as unknown as readonly Owner[];
  return new Map(
    owners.map(({ manager, operation, subresource = '', time }) => [
      `${manager} ${operation} ${subresource}`,
      time,
    ]),
  );
}
