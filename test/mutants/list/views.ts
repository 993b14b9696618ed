/** Bugs in what the bridge keeps for functions that run apart, and in how they read it. */
import type { Mutant } from '../mutant.ts';

const kept = 'functions/bridge/stored-views.ts';
const keptTests = ['functions/bridge/stored-views.test.ts'];
const reader = 'shared/views/stored-view-reader.ts';
const readerTests = ['stored-view-reader', 'own-writes-in-views', 'freshness-of-views'].map(
  (name) => `shared/views/${name}.test.ts`,
);

export const viewMutants: readonly Mutant[] = [
  {
    name: 'goes on before its note of a child is written',
    file: 'shared/kube/write-through.ts',
    find: `      if (options?.dryRun !== true) await views.of(resource)?.write(created, sentAtMs);`,
    replacement: `      if (options?.dryRun !== true) void views.of(resource)?.write(created, sentAtMs);`,
    tests: ['shared/kube/write-through.test.ts'],
  },
  {
    name: 'keeps nothing of a Pod whose Job is not known yet',
    file: kept,
    find: 'view.listByRoot(root)',
    replacement: 'view.listByOwner(root)',
    tests: keptTests,
  },
  {
    name: 'goes on in a session in which a write may have been lost',
    file: kept,
    find: `    if (this.#session === session) this.#session = undefined;
    this.#takesOver = true;`,
    replacement: `    this.#takesOver = true;`,
    tests: keptTests,
  },
  {
    name: 'believes a view that was read before its own write',
    file: reader,
    find: `    const root = await this.#read(first, moment);
    // Another run may have written it meanwhile, which the view that was read did not know of.
    const remembered = this.#remembered.get(key);`,
    replacement: `    const remembered = this.#remembered.get(key);
    const root = await this.#read(first, moment);`,
    tests: readerTests,
  },
];
