import { afterAll, beforeAll, expect, it } from 'vitest';
import { successfulCreates } from '#test/support/audit-log.ts';
import { kubectlOrThrow } from '#test/support/control-plane/kubectl.ts';
import { type ControlPlane, startControlPlane } from '#test/support/control-plane/start.ts';
import { describeWithCluster } from '#test/support/require.ts';

describeWithCluster('a control plane of its own', () => {
  let plane: ControlPlane;
  const createMap = (name: string) => kubectlOrThrow(plane.kubectl, ['create', 'configmap', name]);
  const maps = () => kubectlOrThrow(plane.kubectl, ['get', 'configmaps', '-o', 'name']);

  beforeAll(async () => {
    plane = await startControlPlane({ scheduler: false, kwok: false });
  });
  afterAll(() => plane.stop());

  it('runs only the components that were asked for', () => {
    expect(plane.pidOf('kube-controller-manager')).toBeGreaterThan(0);
    expect(plane.pidOf('kube-scheduler')).toBeUndefined();
    expect(plane.pidOf('kwok')).toBeUndefined();
  });

  it('keeps port, data, certificate and audit log when its API server is killed', async () => {
    await createMap('before-kill');
    const before = plane.pidOf('kube-apiserver');
    await plane.kill('kube-apiserver');
    expect(plane.pidOf('kube-apiserver')).toBeUndefined();
    expect(await plane.kubectl(['get', 'configmaps'])).toMatchObject({ code: 1, stdout: '' });
    await plane.startComponent('kube-apiserver');
    expect(plane.pidOf('kube-apiserver')).not.toBe(before);
    expect(await maps()).toContain('configmap/before-kill');
    const creates = await successfulCreates(plane.auditLog, { name: 'before-kill' });
    expect(creates).toHaveLength(1);
  });

  it('keeps its data when etcd is killed', async () => {
    await createMap('before-etcd-kill');
    await plane.restart('etcd', 'SIGKILL');
    await expect.poll(maps).toContain('configmap/before-etcd-kill');
  });

  it('says with the end of its log why a component did not become ready', async () => {
    const refused = startControlPlane({ apiServerFlags: ['--no-such-flag'] });
    await expect(refused).rejects.toThrow(
      /kube-apiserver ended before it was ready[^]*no-such-flag/,
    );
  });

  it('knows only the users that it was started with', () => {
    expect(() => plane.tokenFor('stranger')).toThrow('stranger');
  });
});
