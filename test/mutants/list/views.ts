/** Bugs in what the bridge keeps for functions that run apart, and in how they read it. */
import type { Mutant } from '../mutant.ts';

const kept = 'functions/bridge/stored-views.ts';
const keptTests = ['functions/bridge/stored-views.test.ts'];
const reader = 'shared/views/stored-view-reader.ts';
const readerTests = ['shared/views/stored-view-reader.test.ts'];

export const viewMutants: readonly Mutant[] = [
  {
    name: 'tells later of what it creates although its note was not taken',
    file: reader,
    find: `    if (!this.#notes.isWhole(uid)) await this.#notes.flush(uid);`,
    replacement: ``,
    tests: readerTests,
  },
  {
    name: 'goes on before its note of a child is written',
    file: 'shared/kube/write-through.ts',
    find: `      if (options?.dryRun !== true) await views.of(resource)?.write(created, sentAtMs);`,
    replacement: `      if (options?.dryRun !== true) void views.of(resource)?.write(created, sentAtMs);`,
    tests: ['shared/kube/write-through.test.ts'],
  },
  {
    name: 'gives a note up that was not taken',
    file: 'shared/views/own-notes.ts',
    find: `      this.#options.onFailure(error);`,
    replacement: `      this.#options.onFailure(error);
      this.#owed.delete(owner);`,
    tests: ['shared/views/own-notes.test.ts'],
  },
  {
    name: 'leaves no note of a child that is gone',
    file: kept,
    find: `    if (controllerOf(metadata)?.uid !== root) return;`,
    replacement: `    if (controllerOf(metadata)?.uid !== 'nobody') return;`,
    tests: keptTests,
  },
  {
    name: 'begins a session without the names of what is gone',
    file: kept,
    find: `      for (const trace of view.removedByOwner(root)) {`,
    replacement: `      for (const trace of view.removedByOwner(root).slice(0, 0)) {`,
    tests: keptTests,
  },
  {
    name: 'takes notes of another history for its own',
    file: kept,
    find: `    this.#isAnotherHistory ||= isAnotherHistory;`,
    replacement: `    this.#isAnotherHistory &&= isAnotherHistory;`,
    tests: keptTests,
  },
  {
    name: 'forgets notes at each new session after another history',
    file: kept,
    find: `      this.#isAnotherHistory = false;`,
    replacement: '',
    tests: keptTests,
  },
  {
    name: 'takes a write that the views do not show for one that they show',
    file: 'shared/views/own-echoes.ts',
    find: `  return seen !== undefined && isKnownBy(version, seen);`,
    replacement: `  return seen !== undefined || isKnownBy(version, version);`,
    tests: readerTests,
  },
  {
    name: 'takes an own write of Jobs for a sign that the view of flows is current',
    file: 'shared/views/own-echoes.ts',
    find: `      if (write.resource === resource && isShown(write, shown)) {`,
    replacement: `      if (write.resource !== '' && resource !== '' && isShown(write, shown)) {`,
    tests: readerTests,
  },
  {
    name: 'takes an own write of another history for one that the views show',
    file: 'shared/views/own-echoes.ts',
    find: `  if (generation !== shown.generation) return false;`,
    replacement: `  if (generation === '') return false;`,
    tests: readerTests,
  },
  {
    name: 'takes children that are older than what the API server gave of their owner',
    file: reader,
    find: `    if (isDecidedAbout && moment !== undefined) moment.isPast = true;`,
    replacement: `    if (isDecidedAbout && moment !== undefined) moment.isPast = false;`,
    tests: readerTests,
  },
  {
    name: 'keeps nothing of a Pod whose Job is not known yet',
    file: kept,
    find: 'view.listByRoot(root)',
    replacement: 'view.listByOwner(root)',
    tests: keptTests,
  },
  {
    name: 'takes a root for whole before its Jobs have been listed',
    file: kept,
    find: 'views.followed(resource).synced ||',
    replacement: 'views.followed(resource).size >= 0 ||',
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
    name: 'leaves a child where its label was',
    file: kept,
    find: `if (former !== undefined && (!isThere || former.root !== root)) {`,
    replacement: `if (former !== undefined && !isThere) {`,
    tests: keptTests,
  },
  {
    name: 'believes in its own child after the views called it gone',
    file: 'shared/views/own-children.ts',
    find: ` || root.gone.has(key)`,
    replacement: ``,
    tests: readerTests,
  },
  {
    name: 'believes in its own child for ever',
    file: 'shared/views/own-children.ts',
    find: `if (isOver || nowMs - atMs > momentMs) known`,
    replacement: `if (isOver) known`,
    tests: readerTests,
  },
  {
    name: 'forgets at once what it has created',
    file: reader,
    find: `      this.#own.write(root, `,
    replacement: `      if (Date.now() < 0) this.#own.write(root, `,
    tests: readerTests,
  },
  {
    name: 'keeps of a list only what changes',
    file: kept,
    find: `    if (list !== undefined) return { root, isWhole: true, entries: this.#allOf(list) };`,
    replacement: `    if (list !== undefined) return { root, isWhole: true, entries: [] };`,
    tests: keptTests,
  },
  {
    name: 'goes on in a new session with what the one before knew of a list',
    file: kept,
    find: `      this.#writtenToList.clear();`,
    replacement: ``,
    tests: keptTests,
  },
  {
    name: 'lists at the API server what the bridge keeps',
    file: reader,
    find: `const isEnough = isKept && asOf`,
    replacement: `const isEnough = !isKept && asOf`,
    tests: readerTests,
  },
  {
    name: 'keeps what was written before the stores lost their data',
    file: 'functions/bridge/publish.ts',
    find: `  storesAreEmpty(): void {
    this.#options.storedViews?.startOver();`,
    replacement: `  storesAreEmpty(): void {
    void this.#options.storedViews;`,
    tests: ['functions/bridge/sweep.test.ts'],
  },
  {
    name: 'takes a remembered object for the present one whatever the views say',
    file: reader,
    find: `    if (isLatest) this.#remember(object);
    return isLatest ? object : undefined;`,
    replacement: `    if (isLatest) this.#remember(object);
    return object;`,
    tests: readerTests,
  },
  {
    name: 'believes a view that was read before its own write',
    file: reader,
    find: `    const root = await this.#read(first, moment);
    // Another run may have written it meanwhile, which the view that was read did not know of.
    const remembered = this.#remembered.get(keyOf(name));`,
    replacement: `    const remembered = this.#remembered.get(keyOf(name));
    const root = await this.#read(first, moment);`,
    tests: readerTests,
  },
  {
    name: 'compares versions of two histories',
    file: reader,
    find: `      generation === root.generation
        ?`,
    replacement: `      generation !== undefined
        ?`,
    tests: readerTests,
  },
  {
    name: 'asks nobody for so long that it does not hear what time it is',
    file: reader,
    find: `> silentMs) return undefined;`,
    replacement: `> silentMs * 1e6) return undefined;`,
    tests: readerTests,
  },
  {
    name: 'keeps a root that came and went at once as one that is there',
    file: kept,
    find: `parts.findLast(({ key }) => isOf(root, key))`,
    replacement: `parts.findLast(({ content }) => content === '')`,
    tests: keptTests,
  },
];
