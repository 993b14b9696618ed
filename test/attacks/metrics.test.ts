import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { parse } from 'yaml';
import { expect, it } from 'vitest';
import { Agent, request } from 'undici';
import { startUp } from '#functions/millrace/up/start-up.ts';
import { suspendAdmissions } from '#functions/suspend-admission/testing/admissions.ts';
import {
  clock,
  creation,
  object,
  policies,
  policy,
  queueLabel,
} from '#functions/suspend-admission/testing/reviews.ts';
import { serveAdmissions } from '#shared/runtime/testing/served-admissions.ts';
import { resources } from '#shared/domain/resources.ts';

it('#43 has no label in its metrics that users choose', async () => {
  const stateRoot = await mkdtemp(join(tmpdir(), 'millrace-metrics-'));
  const logger = pino({ level: 'silent' });
  const up = await startUp({
    ...{ port: 0, nodes: 1, speed: 10, runCommands: false, webhooks: false },
    ...{ stateRoot, logger },
  });
  try {
    const client = up.cluster.client({ user: 'somebody', fieldManager: 'somebody' });
    const pod = { containers: [{ name: 'telltale-c', image: 'telltale-image' }] };
    const steps = [{ name: 'telltale-step', jobTemplate: { template: { spec: pod } } }];
    for (const index of [1, 2, 3]) {
      const metadata = { name: `telltale-${index}`, namespace: 'default' };
      const { group, version } = resources.JobFlow;
      await client.create(
        resources.JobFlow,
        { apiVersion: `${group}/${version}`, kind: 'JobFlow', metadata, spec: { flows: steps } },
        { fieldManager: 'somebody' },
      );
    }
    const headers = { authorization: `Bearer ${await tokenIn(up.kubeconfig)}` };
    const scrape = async () => (await fetch(`${up.control}/metrics`, { headers })).text();
    await expect.poll(scrape).toMatch(/decisions_total{.*applied.*} [1-9]/);
    expect(await scrape()).not.toMatch(/telltale|"default"/);
  } finally {
    await up.stop();
    await rm(stateRoot, { recursive: true, force: true });
  }
});

it('#43 has no label in the metrics of admissions that users choose', async () => {
  const followed = policies([policy('telltale-policy', {})]);
  const admissions = suspendAdmissions({ policies: followed, clock });
  const served = await serveAdmissions({ admissions });
  const dispatcher = new Agent({ connect: { ca: served.ca } });
  try {
    const labels = { [queueLabel]: 'telltale-queue' };
    const { resource, ...review } = creation(object('Job', { labels }));
    const telltale = {
      namespace: 'telltale-ns',
      name: 'telltale',
      userInfo: { username: 'telltale-user' },
    };
    const sent = { ...review, ...telltale, resource: { ...resource, resource: resource.plural } };
    const body = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: sent };
    for (const path of ['suspension', 'telltale-path']) {
      const { body: answer } = await request(`${served.url}/${path}`, {
        ...{ method: 'POST', dispatcher, body: JSON.stringify(body) },
        headers: { 'content-type': 'application/json' },
      });
      await answer.dump();
    }
    const metrics = await served.registry.metrics();
    expect(metrics).toMatch(/millrace_reviews_total{.*suspension.*} 1/);
    expect(metrics).not.toContain('telltale');
  } finally {
    await dispatcher.close();
    await served.stop();
  }
});

async function tokenIn(kubeconfig: string): Promise<string> {
  const { users } = parse(await readFile(kubeconfig, 'utf8')) as {
    readonly users: readonly { readonly user: { readonly token: string } }[];
  };
  return users[0]?.user.token ?? '';
}
