import { describe, expect, it } from 'vitest';
import { labels } from '#shared/domain/labels.ts';
import { asResourceVersion, asUid, type KubeObject } from '#shared/domain/objects.ts';
import { ObjectView } from './object-view.ts';

const version = asResourceVersion;

function job(name: string, uid: string, at: string, owner?: string): KubeObject {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name,
      namespace: 'ns',
      uid: asUid(uid),
      resourceVersion: version(at),
      ...(owner === undefined
        ? {}
        : {
            ownerReferences: [
              { apiVersion: 'v1', kind: 'Owner', name: 'o', uid: asUid(owner), controller: true },
            ],
          }),
    },
    spec: { heavy: 'x' },
  };
}

const names = (objects: readonly KubeObject[]): string[] =>
  objects.map((object) => object.metadata.name).sort();

describe('a view fed by list and watch', () => {
  it('is not synced until the first list has been taken in', () => {
    const view = new ObjectView();
    view.apply({ type: 'ADDED', object: job('a', 'u1', '5') });
    expect(view.synced).toBe(false);
    view.replace([], version('9'));
    expect(view.synced).toBe(true);
  });

  it('finds children by the uid of their controller, and no longer once they are deleted', () => {
    const view = new ObjectView();
    view.replace([job('a', 'u1', '1', 'o1'), job('b', 'u2', '2', 'o2')], version('3'));
    expect(names(view.listByOwner(asUid('o1')))).toEqual(['a']);
    view.apply({ type: 'DELETED', object: job('a', 'u1', '4', 'o1') });
    expect(view.listByOwner(asUid('o1'))).toEqual([]);
    expect(view.get('ns', 'a')).toBeUndefined();
  });

  it('knows the names of children that are gone, until something takes them', () => {
    const view = new ObjectView();
    const gone = () => view.removedByOwner(asUid('o1'));
    view.replace([job('a', 'u1', '1', 'o1'), job('b', 'u2', '2', 'o1')], version('3'));
    expect(gone()).toEqual([]);
    view.apply({ type: 'DELETED', object: job('a', 'u1', '4', 'o1') });
    view.replace([], version('5'));
    expect(gone()).toEqual(['a', 'b']);
    expect(view.removedByOwner(asUid('o2'))).toEqual([]);
    view.apply({ type: 'ADDED', object: job('a', 'u3', '6', 'o1') });
    expect(gone()).toEqual(['b']);
    view.forget('ns', 'a', undefined);
    expect(gone()).toEqual(['b', 'a']);
    view.startOver([], version('1'));
    expect(gone()).toEqual([]);
  });

  it('knows for which machine a Job was that is gone', () => {
    const view = new ObjectView();
    const own = job('a', 'u1', '1', 'o1');
    const labelled = { ...own.metadata, labels: { [labels.nodeUid]: 'm1' } };
    view.replace([{ ...own, metadata: labelled }], version('3'));
    view.apply({ type: 'DELETED', object: job('a', 'u1', '4', 'o1') });
    expect(view.removedByOwner(asUid('o1'))).toEqual(['a/m1']);
  });

  it('still knows it when a Job for another machine has the name, or had it', () => {
    const view = new ObjectView();
    const onMachine = (machine: string, uid: string, resourceVersion: string) => {
      const own = job('a', uid, resourceVersion, 'o1');
      return { ...own, metadata: { ...own.metadata, labels: { [labels.nodeUid]: machine } } };
    };
    const gone = () => view.removedByOwner(asUid('o1'));
    view.replace([onMachine('m1', 'u1', '1')], version('1'));
    view.apply({ type: 'ADDED', object: onMachine('m2', 'u2', '2') });
    expect(gone()).toEqual(['a/m1']);
    view.apply({ type: 'DELETED', object: onMachine('m2', 'u2', '3') });
    expect(gone()).toEqual(['a/m1', 'a/m2']);
    view.apply({ type: 'ADDED', object: onMachine('m1', 'u3', '4') });
    expect(gone()).toEqual(['a/m2']);
  });

  it('holds the new object after a delete and create under one name between two lists', () => {
    const view = new ObjectView();
    view.replace([job('a', 'u1', '1', 'o1')], version('2'));
    view.replace([job('a', 'u2', '7', 'o2')], version('9'));
    expect(view.get('ns', 'a')?.metadata.uid).toBe('u2');
    expect(view.listByOwner(asUid('o1'))).toEqual([]);
  });

  it('holds the very object that it held when a list shows the same version', () => {
    const view = new ObjectView();
    const first = job('a', 'u1', '1');
    view.replace([first], version('3'));
    view.replace([job('a', 'u1', '1'), job('b', 'u2', '8')], version('9'));
    expect(view.get('ns', 'a')).toBe(first);
    expect(names([...view.values()])).toEqual(['a', 'b']);
  });

  it('does not drop the new object when the old one of that name is reported deleted late', () => {
    const view = new ObjectView();
    view.write(job('a', 'u2', '9'));
    view.apply({ type: 'DELETED', object: job('a', 'u1', '8') });
    expect(view.get('ns', 'a')?.metadata.uid).toBe('u2');
  });

  it('finds a child no longer by an owner that gave it up', () => {
    const view = new ObjectView();
    view.apply({ type: 'ADDED', object: job('a', 'u1', '1', 'o1') });
    view.apply({ type: 'MODIFIED', object: job('a', 'u1', '2', 'o2') });
    expect(view.listByOwner(asUid('o1'))).toEqual([]);
    expect(names(view.listByOwner(asUid('o2')))).toEqual(['a']);
  });

  it('knows no children of an owner that it never saw', () => {
    const view = new ObjectView();
    view.replace([job('a', 'u1', '1', 'o1')], version('3'));
    expect(view.listByOwner(asUid('o2'))).toEqual([]);
  });

  it('keeps of an own write what the projection leaves', () => {
    const view = new ObjectView(({ apiVersion, kind, metadata }) => ({
      apiVersion,
      kind,
      metadata,
    }));
    view.replace([], version('1'));
    view.write(job('a', 'u1', '2'));
    expect(view.get('ns', 'a')).toBeDefined();
    expect(view.get('ns', 'a')).not.toHaveProperty('spec');
  });

  it('goes by the order of arrival where versions do not compare', () => {
    const view = new ObjectView();
    view.replace([job('a', 'u1', 'f00')], version('f09'));
    view.apply({ type: 'MODIFIED', object: job('a', 'u1', 'b01') });
    expect(view.get('ns', 'a')?.metadata.resourceVersion).toBe('b01');
    view.replace([], version('c00'));
    expect(view.size).toBe(0);
  });
});

describe('own reads in a view', () => {
  it('replace an older version of an object that it holds', () => {
    const view = new ObjectView();
    view.replace([job('a', 'u1', '2')], version('3'));
    view.refresh(job('a', 'u1', '5'));
    expect(view.get('ns', 'a')?.metadata.resourceVersion).toBe('5');
    view.refresh(job('a', 'u1', '4'));
    expect(view.get('ns', 'a')?.metadata.resourceVersion).toBe('5');
  });

  it('add nothing whose end list and watch might never report', () => {
    const view = new ObjectView();
    view.replace([job('a', 'u1', '2')], version('3'));
    view.refresh(job('b', 'u2', '5'));
    view.refresh(job('a', 'u3', '6'));
    expect(view.get('ns', 'b')).toBeUndefined();
    expect(view.get('ns', 'a')?.metadata.uid).toBe('u1');
  });
});

describe('own writes in a view', () => {
  it('are read back at once', () => {
    const view = new ObjectView();
    view.replace([], version('3'));
    view.write(job('a', 'u1', '4', 'o1'));
    expect(names(view.listByOwner(asUid('o1')))).toEqual(['a']);
  });

  it('are not overwritten by an older event', () => {
    const view = new ObjectView();
    view.replace([job('a', 'u1', '1')], version('1'));
    view.write(job('a', 'u1', '10'));
    view.apply({ type: 'MODIFIED', object: job('a', 'u1', '9') });
    expect(view.get('ns', 'a')?.metadata.resourceVersion).toBe('10');
  });

  it('survive a list that is older than they are, and not one that is as old', () => {
    const view = new ObjectView();
    view.write(job('a', 'u1', '10'));
    view.replace([], version('9'));
    expect(view.get('ns', 'a')).toBeDefined();
    view.replace([], version('10'));
    expect(view.get('ns', 'a')).toBeUndefined();
  });

  it('do not bring back what the watch has seen deleted (view-3)', () => {
    const view = new ObjectView();
    view.replace([job('a', 'u1', '1')], version('1'));
    view.apply({ type: 'DELETED', object: job('a', 'u1', '12') });
    view.write(job('a', 'u1', '11'));
    expect(view.get('ns', 'a')).toBeUndefined();
  });

  it('forget any object of a name when no uid is given', () => {
    const view = new ObjectView();
    view.replace([job('a', 'u1', '1')], version('2'));
    view.forget('ns', 'a', undefined);
    expect(view.get('ns', 'a')).toBeUndefined();
  });

  it('forget a deleted object only when the uid is the one that was deleted', () => {
    const view = new ObjectView();
    view.replace([job('a', 'u2', '1')], version('1'));
    view.forget('ns', 'a', asUid('u1'));
    expect(view.get('ns', 'a')).toBeDefined();
    view.forget('ns', 'a', asUid('u2'));
    expect(view.get('ns', 'a')).toBeUndefined();
  });

  it('keep a deleted object away when list, watch or an own answer reports its past (view-4)', () => {
    const view = new ObjectView();
    view.replace([job('a', 'u1', '1')], version('1'));
    view.forget('ns', 'a', asUid('u1'));
    view.apply({ type: 'MODIFIED', object: job('a', 'u1', '2') });
    view.write(job('a', 'u1', '3'));
    view.replace([job('a', 'u1', '3')], version('3'));
    expect(view.get('ns', 'a')).toBeUndefined();
    view.apply({ type: 'DELETED', object: job('a', 'u1', '4') });
    view.apply({ type: 'ADDED', object: job('a', 'u2', '5') });
    expect(view.get('ns', 'a')?.metadata.uid).toBe('u2');
  });

  it.each([
    ['watch', (view: ObjectView) => view.apply({ type: 'DELETED', object: job('a', 'u1', '4') })],
    ['list', (view: ObjectView) => view.replace([], version('4'))],
  ])('take in an object that is there again after the %s reported its end: a restore', (_, end) => {
    const view = new ObjectView();
    view.replace([job('a', 'u1', '1')], version('1'));
    view.forget('ns', 'a', asUid('u1'));
    end(view);
    view.apply({ type: 'ADDED', object: job('a', 'u1', '9') });
    expect(names([...view.values()])).toEqual(['a']);
  });

  it('keep a deleted object away when a list from before its creation comes late (view-4)', () => {
    const view = new ObjectView();
    view.write(job('a', 'u1', '6'));
    view.forget('ns', 'a', asUid('u1'));
    view.replace([], version('4'));
    view.apply({ type: 'ADDED', object: job('a', 'u1', '5') });
    view.apply({ type: 'MODIFIED', object: job('a', 'u1', '6') });
    expect(view.get('ns', 'a')).toBeUndefined();
  });
});

describe('a view that starts over', () => {
  it('knows children by their owner of the new history only', () => {
    const view = new ObjectView();
    view.replace([job('a', 'u1', '90', 'o1'), job('b', 'u2', '91', 'o1')], version('99'));
    view.startOver([job('a', 'u1', '5', 'o2')], version('9'));
    expect(view.listByOwner(asUid('o1'))).toEqual([]);
    expect(names(view.listByOwner(asUid('o2')))).toEqual(['a']);
    expect(view.size).toBe(1);
  });

  it('takes in again what an own delete had removed', () => {
    const view = new ObjectView();
    view.replace([job('a', 'u1', '90')], version('99'));
    view.forget('ns', 'a', asUid('u1'));
    view.startOver([job('a', 'u1', '5')], version('9'));
    expect(view.get('ns', 'a')).toBeDefined();
  });
});
