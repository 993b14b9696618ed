import { expect, it } from 'vitest';
import { decide } from '../decide.ts';
import { deployment, job, pod, PureWorld } from '../testing/pure-world.ts';
import { takenForAbsent } from './taken-for-absent.ts';

/** The kinds of which the next decision must not lack any. */
function askedFor(world: PureWorld): readonly string[] {
  const snapshot = world.snapshot();
  const decision = decide(snapshot, { nowMs: world.nowMs });
  return takenForAbsent(snapshot, decision).map(({ kind }) => kind);
}

function running(): PureWorld {
  const world = new PureWorld([pod('a'), job('b'), deployment('c', 1)]);
  world.run('Running', 'Running', 'Running');
  return world;
}

it('a component is called missing only when the API server knows of none of its kind, either', () => {
  const world = running();
  expect(askedFor(world)).toEqual([]);
  world.objects.delete('c');
  expect(askedFor(world)).toEqual(['Deployment']);
  world.objects.delete('b');
  expect(askedFor(world)).toEqual(['Job', 'Deployment']);
});

it('everything is called gone only when the API server knows neither Pods nor components', () => {
  const world = running();
  world.edit({ suspend: true });
  world.isStuck = true;
  world.settle();
  expect(askedFor(world)).toEqual([]);
  world.podsAre();
  world.objects.clear();
  expect(askedFor(world)).toEqual(['Pod', 'Pod', 'Job', 'Deployment']);
});

it('creating what is not in sight needs no look: its name is a lock', () => {
  const world = new PureWorld([pod('a')]);
  world.edit({ suspend: false });
  while (world.phase !== 'Resuming') world.step();
  expect(askedFor(world)).toEqual([]);
  world.step();
  expect([...world.objects.keys()]).toEqual(['a']);
});
