/** Every verb on every served kind. */
import { kinds } from '../harness/kinds.ts';
import { family, type Rules, type Script } from '../harness/script.ts';
import { type Manifest, type Session, tableOf } from '../harness/session.ts';
import { samples } from './samples.ts';

type Kind = keyof typeof samples;

function subject(s: Session, kind: Kind) {
  const name = kinds[kind].namespaced ? 'a' : s.own('a');
  const object = samples[kind].make(name, s.ns);
  return { object, name: object.metadata!['name'] as string, change: samples[kind].change };
}

const verbs: Readonly<Record<string, (s: Session, kind: Kind) => Promise<void>>> = {
  'is created and read back': async (s, kind) => {
    const { object, name } = subject(s, kind);
    await s.create(object);
    await s.create(object);
    await s.read(kind, name);
    await s.delete(kind, name);
  },
  'is replaced': async (s, kind) => {
    const { object, name } = subject(s, kind);
    const { body } = await s.create(object);
    const { uid } = body.metadata;
    const metadata = { name, uid, labels: { replaced: 'yes' } };
    await s.update({ ...(body as Manifest), metadata });
    await s.update({ ...(body as Manifest), metadata });
    await s.delete(kind, name);
  },
  'is merge patched': async (s, kind) => {
    const { object, name, change } = subject(s, kind);
    await s.create(object);
    await s.patch(kind, name, 'merge', change);
    await s.patch(kind, name, 'merge', change);
    await s.delete(kind, name);
  },
  'is applied': async (s, kind) => {
    const { object, name } = subject(s, kind);
    await s.apply(object, 'one');
    await s.apply(object, 'one');
    const metadata = { ...object.metadata, annotations: { applied: 'twice' } };
    await s.apply({ ...object, metadata }, 'two');
    await s.delete(kind, name);
  },
  'is not found when it does not exist': async (s, kind) => {
    const { object, change } = subject(s, kind);
    const name = s.own('none');
    await s.read(kind, name);
    await s.delete(kind, name);
    await s.patch(kind, name, 'merge', change);
    await s.update({ ...object, metadata: { name } });
  },
  'is not created by a dry run': async (s, kind) => {
    const { object, name } = subject(s, kind);
    const query = { dryRun: 'All' };
    await s.create(object, { query });
    await s.read(kind, name);
  },
  'is shown as a Table': async (s, kind) => {
    const { object, name } = subject(s, kind);
    await s.create(object);
    const headers = { accept: tableOf };
    await s.read(kind, name, { headers });
    if (kinds[kind].namespaced) await s.list(kind, { limit: 1 }, { headers });
    await s.delete(kind, name);
  },
};

/** Writes that controllers would interfere with. Other scripts cover these in detail. */
const writes = ['is created and read back', 'is replaced', 'is merge patched', 'is applied'];
const asTable = 'is shown as a Table';

/** Kinds that controllers write at any time. Other scripts cover these in detail. */
const busy: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  // Every namespace gets one some time after its creation.
  ConfigMap: [asTable],
  ServiceAccount: [asTable],
  // Controllers write to every new node, quota and definition.
  Node: [...writes, asTable],
  ResourceQuota: [...writes, asTable],
  PersistentVolumeClaim: writes,
  CustomResourceDefinition: [...writes, asTable],
};

function rulesOf(kind: Kind): Rules {
  const chosen = Object.entries(verbs).filter(([rule]) => busy[kind]?.includes(rule) !== true);
  return Object.fromEntries(chosen.map(([rule, run]) => [rule, (s: Session) => run(s, kind)]));
}

export const verbScripts: readonly Script[] = (Object.keys(samples) as Kind[]).flatMap((kind) =>
  family(`${kinds[kind].plural}.${kinds[kind].apiVersion}`, rulesOf(kind)),
);
