/**
 * One object taken through a sequence of writes on a real API server, and what the sandbox's merge
 * functions make of the same writes.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { StatusError } from '#sandbox';
import { applyPatch, jsonPatch, type Schema, strategicMerge, trackUpdate } from '#sandbox/testing';
import { applyMergePatch } from '#shared/domain/merge-patch.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';

type Write = 'create' | 'update' | 'json' | 'merge' | 'strategic' | 'apply';

export interface Step {
  readonly write: Write;
  readonly by: string;
  readonly subresource?: 'status';
  readonly force?: boolean;
  /** Within the same second as the step before, if it can be. */
  readonly soon?: boolean;
  /** apiVersion, kind and metadata.name are filled in for objects. */
  readonly body: Json | ((live: JsonObject) => Json);
}

export interface Sequence {
  readonly name: string;
  readonly kind: Kind;
  readonly steps: readonly Step[];
}

export interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
  /** Of the collection. */
  readonly path: string;
  readonly schema: Schema | undefined;
  readonly hasStatus?: boolean;
  /** Members of the created object that the server adds after it has tracked the owners. */
  readonly added?: readonly (readonly string[])[];
}

export type Send = (
  method: string,
  path: string,
  body: Json,
  contentType: string,
) => Promise<{ readonly status: number; readonly body: Json }>;

/** What both sides said to one step; equal when the sandbox is right. */
export interface Verdict {
  readonly step: string;
  readonly server: Json;
  readonly sandbox: Json;
}

const contentTypes: Readonly<Record<Write, string>> = {
  create: 'application/json',
  update: 'application/json',
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** Where a time of the sandbox shows that the server kept the old one. */
const never = '2099-01-01T00:00:00Z';

export async function replay(send: Send, sequence: Sequence, name: string): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  let live: JsonObject | undefined;
  for (const [index, step] of sequence.steps.entries()) {
    if (step.soon !== true) await nextSecond();
    const run = new Run(send, sequence.kind, name, step, live);
    const verdict = await run.compare();
    verdicts.push({ step: `${index}: ${step.write} by ${step.by}`, ...verdict });
    live = run.after ?? live;
  }
  return verdicts;
}

/** Times are whole seconds: only so a kept time differs from a new one. */
async function nextSecond(): Promise<void> {
  await sleep(1_010 - (Date.now() % 1_000));
}

class Run {
  after: JsonObject | undefined;
  readonly #send: Send;
  readonly #kind: Kind;
  readonly #name: string;
  readonly #step: Step;
  readonly #live: JsonObject | undefined;
  readonly #body: Json;

  constructor(send: Send, kind: Kind, name: string, step: Step, live: JsonObject | undefined) {
    this.#send = send;
    this.#kind = kind;
    this.#name = name;
    this.#step = step;
    this.#live = live;
    const body = typeof step.body === 'function' ? step.body(live ?? {}) : step.body;
    this.#body = ['create', 'update', 'apply'].includes(step.write) ? this.#named(body) : body;
  }

  async compare(): Promise<Omit<Verdict, 'step'>> {
    const answer = await this.#write();
    if (answer.status >= 400) {
      const { message, reason = '', code, details } = answer.body as JsonObject;
      const server = { message, reason, code, details: inOrder(details) } as Json;
      return { server, sandbox: this.#failure() };
    }
    this.after = answer.body as JsonObject;
    const outcome = this.#outcome(this.#timeOf(this.after));
    return {
      server: { object: unstamped(this.after), owners: ownersOf(this.after) },
      sandbox: { object: await this.#asStored(outcome), owners: ownersOf(outcome) },
    };
  }

  #write() {
    const { write, by, subresource, force } = this.#step;
    const method = write === 'create' ? 'POST' : write === 'update' ? 'PUT' : 'PATCH';
    const name = write === 'create' ? '' : `/${this.#name}`;
    const sub = subresource === undefined ? '' : `/${subresource}`;
    const query = `?fieldManager=${by}${force === true ? '&force=true' : ''}`;
    const path = `${this.#kind.path}${name}${sub}${query}`;
    return this.#send(method, path, this.#body, contentTypes[write]);
  }

  /** The sandbox's object with its managedFields, where the server has accepted the write. */
  #outcome(time: string): JsonObject {
    const { write, by: manager, subresource = '' } = this.#step;
    const { schema, hasStatus = true } = this.#kind;
    if (write === 'apply') return this.#applied(time);
    const after = this.#unowned(this.after ?? {});
    const before = this.#live;
    const input = { before, after, schema, manager, subresource, time, hasStatus };
    const { metadata } = trackUpdate(input) as { metadata: JsonObject };
    const patched = this.#patched();
    const { managedFields = null } = metadata;
    return { ...patched, metadata: { ...(patched['metadata'] as JsonObject), managedFields } };
  }

  #applied(time: string): JsonObject {
    const { by: manager, force = false, subresource = '' } = this.#step;
    const { schema, hasStatus = true } = this.#kind;
    const applied = this.#body as JsonObject;
    return applyPatch({
      ...{ live: this.#live, applied, schema, manager, force, subresource, time, hasStatus },
    });
  }

  #patched(): JsonObject {
    const live = this.#live ?? {};
    switch (this.#step.write) {
      case 'json':
        return jsonPatch(live, this.#body);
      case 'merge':
        return applyMergePatch(live, this.#body) as JsonObject;
      case 'strategic':
        return strategicMerge(live, this.#body as JsonObject, this.#kind.schema);
      default:
        return this.after ?? {};
    }
  }

  #failure(): Json {
    try {
      return { unexpected: this.#step.write === 'apply' ? this.#applied(never) : this.#patched() };
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      const { message, reason, code, details } = error;
      return { message, reason, code, details: inOrder(details as Json | undefined) };
    }
  }

  /** What the server makes of the object: defaults, pruning, the other half of the object. */
  async #asStored(object: JsonObject): Promise<Json> {
    const resourceVersion = (this.after?.['metadata'] as JsonObject)['resourceVersion'];
    const metadata = { ...(object['metadata'] as JsonObject), resourceVersion, managedFields: [] };
    const sub = this.#step.subresource === undefined ? '' : `/${this.#step.subresource}`;
    const path = `${this.#kind.path}/${this.#name}${sub}?dryRun=All`;
    const { body } = await this.#send('PUT', path, { ...object, metadata }, 'application/json');
    return unstamped(body as JsonObject);
  }

  /** What the server has tracked: its answer with the owners that the request or the live object brings. */
  #unowned(answer: JsonObject): JsonObject {
    const sent = (this.#body as { metadata?: JsonObject }).metadata?.['managedFields'];
    const had = (this.#live?.['metadata'] as JsonObject | undefined)?.['managedFields'];
    const isSent = this.#step.write === 'update' || this.#step.write === 'merge';
    const managedFields = (isSent ? sent : undefined) ?? had;
    const metadata: JsonObject = { ...(answer['metadata'] as JsonObject), managedFields };
    const object = { ...answer, metadata };
    return this.#step.write === 'create'
      ? (this.#kind.added ?? []).reduce<JsonObject>(without, object)
      : object;
  }

  #timeOf(answer: JsonObject): string {
    const { by, write, subresource } = this.#step;
    const operation = write === 'apply' ? 'Apply' : 'Update';
    const timeIn = (object: JsonObject | undefined) =>
      ownersOf(object).find(
        (entry) =>
          entry['manager'] === by &&
          entry['operation'] === operation &&
          entry['subresource'] === subresource,
      )?.['time'] as string | undefined;
    const time = timeIn(answer);
    if (this.#step.soon === true) return time ?? never;
    return time === undefined || time === timeIn(this.#live) ? never : time;
  }

  #named(body: Json): Json {
    const { apiVersion, kind } = this.#kind;
    const { metadata, ...rest } = body as JsonObject;
    return { apiVersion, kind, metadata: { name: this.#name, ...(metadata as object) }, ...rest };
  }
}

function ownersOf(object: JsonObject | undefined): readonly JsonObject[] {
  const { managedFields } = (object?.['metadata'] ?? {}) as { managedFields?: JsonObject[] };
  return managedFields ?? [];
}

/** The server tells of the owners in any order, of each one's fields in theirs. */
function inOrder(details: Json | undefined): Json | undefined {
  const { causes, ...rest } = (details ?? {}) as { causes?: readonly { message: string }[] };
  if (causes === undefined) return details;
  const sorted = causes.toSorted((left, right) => left.message.localeCompare(right.message));
  return { ...rest, causes: sorted };
}

/** Without what the server stamps anew with each write. */
function unstamped(object: JsonObject): JsonObject {
  return [
    ['metadata', 'managedFields'],
    ['metadata', 'resourceVersion'],
    ['metadata', 'generation'],
  ].reduce<JsonObject>(without, object);
}

function without(object: JsonObject, path: readonly string[]): JsonObject {
  const [name = '', ...rest] = path;
  const member = object[name] as JsonObject | undefined;
  if (member === undefined) return object;
  if (rest.length > 0) return { ...object, [name]: without(member, rest) };
  return Object.fromEntries(Object.entries(object).filter(([other]) => other !== name));
}
